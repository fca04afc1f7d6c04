// Runs before each file: two files that run beside each other have a stack each, so that one may count
// what the engine did, or set a fault, while the other does anything. Its Model is Warm, however long
// the stack was idle while files of other projects ran.
import { inject } from "vitest";
import { warmUp } from "./stack-process.ts";

const worker = Number(process.env.VITEST_POOL_ID) - 1;
const own = inject("stacks")[worker];
if (own === undefined) throw new Error(`worker ${worker} has no stack`);
Object.assign(inject("stack"), own);
await warmUp(own);
