import type { Child } from "hono/jsx";

/** The whole distribution at one place; shown once it is asked for. */
export function VocabularySection(): Child {
  return (
    <section id="vocabulary" class="block" aria-labelledby="vocabulary-title" hidden>
      <h2 id="vocabulary-title" tabindex={-1}>
        Whole vocabulary at this place
      </h2>
      <dl class="score">
        <div>
          <dt>tokens</dt>
          <dd id="vocabulary-size" />
        </div>
        <div>
          <dt>sum of probabilities</dt>
          <dd id="vocabulary-sum" />
        </div>
        <div>
          <dt>entropy</dt>
          <dd id="vocabulary-entropy" />
        </div>
      </dl>
      <form id="vocabulary-search" class="form-row">
        <div class="field">
          <label for="vocabulary-query">Find a token by its text</label>
          <input id="vocabulary-query" type="search" class="mono" autocomplete="off" />
        </div>
        <button type="submit" class="button second">
          Find
        </button>
      </form>
      <p id="vocabulary-found" role="status" />
      <div class="vocabulary-tables">
        <table>
          <caption>Tokens by probability</caption>
          <thead>
            <tr>
              <th scope="col">Probability</th>
              <th scope="col">Tokens</th>
              <th scope="col">Together</th>
            </tr>
          </thead>
          <tbody id="vocabulary-bins" />
        </table>
        <table>
          <caption>Cumulative mass</caption>
          <thead>
            <tr>
              <th scope="col">The likeliest</th>
              <th scope="col">Together</th>
            </tr>
          </thead>
          <tbody id="vocabulary-masses" />
        </table>
      </div>
      <h3>The likeliest 200</h3>
      <ol id="vocabulary-top" class="alternatives in-columns" aria-label="The likeliest 200" />
    </section>
  );
}
