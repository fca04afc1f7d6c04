// The local provider's two pages. They load nothing from anywhere.

/** Whoever is at this machine may be any of them: the page asks for no password. */
export function pickPage(action: string, people: readonly { email: string; is: string }[]): string {
  const buttons = people.map(
    ({ email, is }) =>
      `<li><button name="email" value="${escaped(email)}">${escaped(email)}</button> <span>${escaped(is)}</span></li>`,
  );
  return document(
    "Who are you?",
    `<p>This is the OpenID provider of a Continuo that runs on this machine alone.</p>
<form method="post" action="${escaped(action)}"><ul>${buttons.join("")}</ul></form>
<form method="post" action="${escaped(action)}">
<label for="email">Somebody else, whom an Admin has to invite first</label>
<input id="email" name="email" type="email" required maxlength="200" placeholder="e-mail address">
<button>Go on</button></form>`,
  );
}

export function problemPage(problem: string): string {
  return document("This did not work", `<p>${escaped(problem)}</p><p>Go back and try again.</p>`);
}

function document(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 36rem; margin: 3rem auto; padding: 0 1rem; }
ul { list-style: none; padding: 0; } li { margin: 0.5rem 0; }
label { display: block; } span { white-space: nowrap; } button, input { font: inherit; padding: 0.25rem 0.75rem; }
</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
