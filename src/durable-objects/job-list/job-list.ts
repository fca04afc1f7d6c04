import { DurableObject } from "cloudflare:workers";
import type { ObjectBindings } from "../objects.ts";

export class JobList extends DurableObject<ObjectBindings> {}
