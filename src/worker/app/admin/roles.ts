/** For choosing one. */
export const roles = [
  { value: "member", label: "Member" },
  { value: "admin", label: "Admin" },
];
