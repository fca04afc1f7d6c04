// What the runtime loads: the app, the queue's consumer, and the classes of the objects.
import type { JobTurn } from "../contract/dispatcher.ts";
import type { ObjectBindings } from "../durable-objects/objects.ts";
import { app } from "./app.ts";
import { workOff } from "./jobs/work-off.ts";

export { Account } from "../durable-objects/account/account.ts";
export { Directory } from "../durable-objects/directory/directory.ts";
export { Dispatcher } from "../durable-objects/dispatcher/dispatcher.ts";
export { Inference } from "../durable-objects/inference/inference.ts";
export { Job } from "../durable-objects/job/job.ts";
export { JobList } from "../durable-objects/job-list/job-list.ts";
export { SpendLimit } from "../durable-objects/spend-limit/spend-limit.ts";
export { Webhooks } from "../durable-objects/webhooks/webhooks.ts";

export default {
  fetch: app.fetch,
  queue: workOff,
} satisfies ExportedHandler<ObjectBindings, JobTurn>;
