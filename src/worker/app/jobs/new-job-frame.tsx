// What both ways to a new Job have around their form.
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AppEnv } from "../../environment.ts";
import { page } from "../layout/page.tsx";
import { Heading, Tabs } from "../layout/parts.tsx";
import { NoModels } from "../member/model-states.tsx";

interface NewJobFrame {
  current: "paste" | "upload";
  status: number;
}

export function newJobFrame(
  c: Context<AppEnv>,
  { current, status }: NewJobFrame,
  form: (models: readonly string[]) => Child,
): Response | Promise<Response> {
  const models = [...c.get("services").models.keys()];
  return page(
    c,
    { title: "New Job", current: "jobs", status, script: "new-job.js" },
    <>
      <Heading title="New Job" />
      <NewJobTabs current={current} />
      {models.length === 0 ? <NoModels /> : form(models)}
    </>,
  );
}

function NewJobTabs({ current }: Pick<NewJobFrame, "current">): Child {
  return (
    <Tabs
      label="New Job"
      tabs={[
        { href: "/jobs/new", title: "Paste prompts", current: current === "paste" },
        { href: "/jobs/upload", title: "Upload a file", current: current === "upload" },
      ]}
    />
  );
}
