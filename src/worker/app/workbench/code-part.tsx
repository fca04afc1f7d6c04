import type { Child } from "hono/jsx";
import { Copyable } from "../layout/parts.tsx";

const languageNames = { python: "Python", typescript: "TypeScript", curl: "curl" } as const;

interface CodePartProps {
  /** What the code is. */
  label: string;
  languages: readonly (keyof typeof languageNames)[];
}

/** The same as a script; the page's own writes it once it is opened. */
export function CodePart({ label, languages }: CodePartProps): Child {
  return (
    <details id="code-part">
      <summary>Show code</summary>
      <div class="block">
        <span class="inline">
          <label for="language">Language</label>
          <select id="language">
            {languages.map((language) => (
              <option value={language}>{languageNames[language]}</option>
            ))}
          </select>
        </span>
        <Copyable id="code" label={label} text="" />
      </div>
    </details>
  );
}
