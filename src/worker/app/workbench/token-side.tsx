import type { Child } from "hono/jsx";

const numbers = [
  { id: "token-probability", title: "probability" },
  { id: "token-nats", title: "nats" },
  { id: "token-bits", title: "bits" },
  { id: "token-rank", title: "rank" },
  { id: "token-id", title: "id" },
] as const;

/** One token's numbers and what else could have stood there; shown once a token is opened. */
export function TokenSide(): Child {
  return (
    <section id="token-side" class="block" aria-labelledby="token-title" hidden>
      <h2 id="token-title" tabindex={-1}>
        Token <span id="token-name" class="mono" />
      </h2>
      <dl class="score">
        {numbers.map(({ id, title }) => (
          <div>
            <dt>{title}</dt>
            <dd id={id} />
          </div>
        ))}
      </dl>
      <p class="quiet">Choose another token to branch from there.</p>
      <ol id="alternatives" class="alternatives" aria-label="Alternatives" />
      <button type="button" class="button second" id="whole">
        Whole vocabulary here
      </button>
    </section>
  );
}
