// The page's own elements, by the ids that its server part gives them.

/** Throws where the page and this script do not belong together. */
export function element<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found as E;
}

/** A table's row; the first cell names it. */
export function row(cells: readonly string[]): HTMLTableRowElement {
  const line = document.createElement("tr");
  line.append(
    ...cells.map((text, at) => {
      const cell = document.createElement(at === 0 ? "th" : "td");
      if (at === 0) cell.setAttribute("scope", "row");
      cell.textContent = text;
      return cell;
    }),
  );
  return line;
}
