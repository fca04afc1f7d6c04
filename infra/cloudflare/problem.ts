/** What the operator has to mend; its message is all they need. */
export class DeployProblem extends Error {
  override name = "DeployProblem";
}
