// What the runtime loads: the app, and the classes of the objects.
import { app } from "./app.ts";

export { Account } from "../durable-objects/account/account.ts";
export { Directory } from "../durable-objects/directory/directory.ts";
export { Inference } from "../durable-objects/inference/inference.ts";
export { SpendLimit } from "../durable-objects/spend-limit/spend-limit.ts";

export default app;
