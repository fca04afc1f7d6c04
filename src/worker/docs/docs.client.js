// The language one has chosen is chosen in every block, and on the next page too.
const STORED = "continuo-docs-language";

function choose(language) {
  for (const radio of document.querySelectorAll(".code-tabs > input")) {
    if (radio.value === language) radio.checked = true;
  }
}

function remembered() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    // A browser may forbid storage; then each block has its first language.
    return null;
  }
}

function remember(language) {
  try {
    localStorage.setItem(STORED, language);
  } catch {
    // As above.
  }
}

choose(remembered());

document.addEventListener("change", (event) => {
  if (!event.target.matches(".code-tabs > input")) return;
  const { top } = event.target.getBoundingClientRect();
  choose(event.target.value);
  remember(event.target.value);
  // Blocks above have changed their height; what was clicked stays where it was.
  scrollBy(0, event.target.getBoundingClientRect().top - top);
});
