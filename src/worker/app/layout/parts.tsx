// The small parts that pages are made of.
import type { Child } from "hono/jsx";

/** What has just happened, or what stands in the way. Read out when it appears. */
export function Notice(props: { kind?: "done" | "problem"; children?: Child }): Child {
  const { kind = "done", children } = props;
  return (
    <p class={`notice notice-${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </p>
  );
}

/**
 * The sentence that a redirect after a form asked for by `?notice=<name>`: a name of the page's own
 * table, so that no link can put words into the page.
 */
export function NoticeOf(props: {
  name: string | undefined;
  notices: Readonly<Record<string, Child>>;
}): Child {
  const { name, notices } = props;
  if (name === undefined || !Object.hasOwn(notices, name)) return null;
  return <Notice>{notices[name]}</Notice>;
}

/** A line of a list of facts, which is a `<dl>`. */
export function Fact({ term, children }: { term: string; children?: Child }): Child {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Says what there would be, and what to do next. */
export function EmptyState(props: { title: string; children?: Child }): Child {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      {props.children}
    </div>
  );
}

/** A name that somebody chose: of any length and script, cut off by the page where it has no room. */
export function Name(props: { children: string }): Child {
  return (
    <span class="name" dir="auto" title={props.children}>
      {props.children}
    </span>
  );
}

/** A state in words, with a mark that does not depend on its colour. */
export function State(props: { kind: "good" | "busy" | "quiet" | "bad"; children?: Child }): Child {
  return <span class={`state state-${props.kind}`}>{props.children}</span>;
}

/** A page's heading with what one can do there, at its end. */
export function Heading(props: { title: string; children?: Child }): Child {
  return (
    <div class="heading">
      <h1 dir="auto">{props.title}</h1>
      {props.children === undefined ? null : <div class="actions">{props.children}</div>}
    </div>
  );
}

export function Tabs(props: {
  label: string;
  tabs: readonly { href: string; title: string; current: boolean }[];
}): Child {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.tabs.map(({ href, title, current }) => (
        <a href={href} aria-current={current ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

/** The `…` at a row's end. It opens without a script; `of` names the row to a screen reader. */
export function Menu(props: {
  id: string;
  of: string;
  items: readonly { href: string; title: string; danger?: boolean }[];
}): Child {
  const { id, of, items } = props;
  return (
    <>
      <button type="button" class="menu-button" popovertarget={id} aria-label={`Actions for ${of}`}>
        …
      </button>
      <div id={id} popover="auto" class="menu">
        {items.map(({ href, title, danger }) => (
          <a href={href} class={danger ? "danger" : undefined}>
            {title}
          </a>
        ))}
      </div>
    </>
  );
}

/** Text to be taken along, in a box of its own; the button appears where scripts run. */
export function Copyable(props: { id: string; label: string; text: string }): Child {
  const { id, label, text } = props;
  return (
    <div class="copyable">
      <section tabindex={0} aria-label={label}>
        <pre id={id}>{text}</pre>
      </section>
      <button type="button" class="copy" data-copy={id} hidden>
        Copy
      </button>
    </div>
  );
}

/**
 * A question that is asked once, as a page of its own: works without a script, and its address can
 * be sent to somebody. `children` says what will happen.
 */
export function Confirm(props: {
  title: string;
  action: string;
  verb: string;
  danger?: boolean;
  back: string;
  /** Where "Cancel" would say the opposite. */
  backTitle?: string;
  children?: Child;
}): Child {
  const { title, action, verb, danger, back, backTitle = "Cancel", children } = props;
  return (
    <form method="post" action={action} class="form">
      <h1 dir="auto">{title}</h1>
      {children}
      <div class="actions">
        <button type="submit" class={danger ? "button danger" : "button"}>
          {verb}
        </button>
        <a href={back}>{backTitle}</a>
      </div>
    </form>
  );
}
