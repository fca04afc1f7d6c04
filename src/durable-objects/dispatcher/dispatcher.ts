import { DurableObject } from "cloudflare:workers";
import type { ObjectBindings } from "../objects.ts";

export class Dispatcher extends DurableObject<ObjectBindings> {}
