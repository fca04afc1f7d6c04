import type { Child } from "hono/jsx";
import { Tabs } from "../layout/parts.tsx";

export function UsageTabs({ current }: { current: "usage" | "requests" }): Child {
  return (
    <Tabs
      label="Usage"
      tabs={[
        { href: "/usage", title: "Usage", current: current === "usage" },
        { href: "/usage/requests", title: "Request more tokens", current: current === "requests" },
      ]}
    />
  );
}
