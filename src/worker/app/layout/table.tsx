// Tables with real semantics. A wide one scrolls by itself, so that a page never does; a long one has
// pages.
import type { Child } from "hono/jsx";

/** More rows make a page slow to send and to read. */
export const ROWS_A_PAGE = 50;

export interface Column<Row> {
  title: string;
  /** Numbers stand at the end of their cell, in tabular figures. */
  kind?: "text" | "number" | "actions";
  cell(row: Row): Child;
}

export function Table<Row>(props: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}): Child {
  const { caption, columns, rows } = props;
  return (
    <section class="table-frame" tabindex={0} aria-label={caption}>
      <table>
        <caption class="for-readers">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th scope="col" class={kind}>
                {kind === "actions" ? <span class="for-readers">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ kind, cell }) => (
                <td class={kind}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** For lists that give `after`: one knows the next page only. */
export function NextPage(props: { href: string | null; first: string | null }): Child {
  if (props.href === null && props.first === null) return null;
  return (
    <nav class="pages" aria-label="Pages">
      {props.first === null ? null : <a href={props.first}>First page</a>}
      {props.href === null ? null : (
        <a href={props.href} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}

export interface PageOfRows<Row> {
  rows: readonly Row[];
  /** From 1. */
  page: number;
  pages: number;
  total: number;
}

/** One page of a list that is at hand as a whole; a page that does not exist is the nearest one. */
export function pageOf<Row>(all: readonly Row[], asked: string | undefined): PageOfRows<Row> {
  const pages = Math.max(1, Math.ceil(all.length / ROWS_A_PAGE));
  const wanted = /^\d{1,6}$/.test(asked ?? "") ? Number(asked) : 1;
  const page = Math.min(Math.max(wanted, 1), pages);
  const rows = all.slice((page - 1) * ROWS_A_PAGE, page * ROWS_A_PAGE);
  return { rows, page, pages, total: all.length };
}

/** `href` makes the address of a page. */
export function Pages(props: { of: PageOfRows<unknown>; href: (page: number) => string }): Child {
  const { page, pages, total } = props.of;
  if (pages === 1) return null;
  const first = (page - 1) * ROWS_A_PAGE + 1;
  const last = Math.min(page * ROWS_A_PAGE, total);
  return (
    <nav class="pages" aria-label="Pages">
      {page > 1 ? (
        <a href={props.href(page - 1)} rel="prev">
          Previous page
        </a>
      ) : null}
      <span class="quiet">
        {first.toLocaleString("en-US")} to {last.toLocaleString("en-US")} of{" "}
        {total.toLocaleString("en-US")}
      </span>
      {page < pages ? (
        <a href={props.href(page + 1)} rel="next">
          Next page
        </a>
      ) : null}
    </nav>
  );
}
