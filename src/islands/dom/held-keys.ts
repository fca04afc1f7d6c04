// A key that is held repeats many times a second, and each time it would press its button again.

/** On this page Enter presses a button once, however long it is held: what buttons ask for costs tokens. */
export function pressButtonsOnce(): void {
  document.addEventListener("keydown", (event) => {
    const { repeat, key, target } = event;
    if (repeat && key === "Enter" && target instanceof HTMLButtonElement) event.preventDefault();
  });
}
