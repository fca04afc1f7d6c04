// What the pages of a new Job do beyond plain HTML: count pasted prompts, look at a file's first lines
// before it is sent, and show how far it is. The server judges every line, and its word is what counts.
const LOOKED_AT_LINES = 20;
const LOOKED_AT_BYTES = 262_144;

const paste = document.querySelector("form[data-paste-most]");
if (paste !== null) {
  const { prompts } = paste.elements;
  const said = document.createElement("p");
  said.className = "hint";
  prompts.addEventListener("input", () => {
    // Not before: nothing moves while the page loads.
    if (!said.isConnected) prompts.after(said);
    const lines = prompts.value.split("\n").filter((line) => line.trim() !== "");
    const bytes = new URLSearchParams({ prompts: prompts.value }).toString().length;
    const isLong = bytes > Number(paste.dataset.pasteMost) * 0.99;
    said.textContent = isLong
      ? "This is more text than a form takes. Upload it as a file."
      : `${whole(lines.length)} ${lines.length === 1 ? "prompt" : "prompts"}`;
    prompts.setCustomValidity(isLong ? said.textContent : "");
  });
}

const upload = document.querySelector("form[data-upload]");
if (upload !== null) {
  const { file } = upload.elements;
  const problem = document.createElement("p");
  problem.className = "field-error";
  problem.setAttribute("role", "alert");
  file.after(problem);
  file.addEventListener("change", async () => {
    showServersError(null);
    problem.textContent = "";
    const [chosen] = file.files;
    if (chosen !== undefined) problem.textContent = (await problemOf(chosen)) ?? "";
  });
  upload.addEventListener("submit", (event) => {
    event.preventDefault();
    // Pressed twice: page.js marks the form as sent.
    if (upload.dataset.sent !== "yes") send();
  });

  const send = () => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      tell(loaded / total, `${megabytes(loaded)} of ${megabytes(total)} MB`);
    });
    request.upload.addEventListener("load", () => tell(1, "All is sent. The lines are checked …"));
    request.addEventListener("load", () => {
      const { pathname } = new URL(request.responseURL);
      if (pathname !== new URL(upload.action).pathname) {
        window.location.assign(request.responseURL);
        return;
      }
      again();
      showServersError(new DOMParser().parseFromString(request.responseText, "text/html"));
    });
    request.addEventListener("error", () => {
      again();
      problem.textContent = "The upload broke off and nothing was started. Send it again.";
    });
    problem.textContent = "";
    showServersError(null);
    tell(0, "");
    request.open("POST", upload.action);
    request.setRequestHeader("accept", "text/html");
    request.send(new FormData(upload));
  };

  const bar = upload.querySelector("progress");
  const tell = (share, words) => {
    bar.parentElement.hidden = false;
    bar.value = share;
    bar.nextElementSibling.textContent = words;
  };
  const again = () => {
    bar.parentElement.hidden = true;
    delete upload.dataset.sent;
  };

  /** What the page says that came back; the chosen file stays chosen. */
  const showServersError = (answer) => {
    for (const old of upload.querySelectorAll("#file-error, #name-error")) old.remove();
    if (answer === null) return;
    const id = answer.querySelector("form[data-upload] input[name=id]");
    if (id !== null) upload.elements.id.value = id.value;
    const words = [...answer.querySelectorAll(".field-error, .problem p:first-of-type")];
    problem.textContent = words.map((one) => one.textContent).join(" ");
  };

  const models = JSON.parse(upload.dataset.models);
  const fields = JSON.parse(upload.dataset.fields);
  const bytesMost = Number(upload.dataset.bytesMost);

  /** The first problem of the file's first lines, in the server's words; null if there is none. */
  async function problemOf(chosen) {
    if (chosen.size === 0) return "The file is empty.";
    if (chosen.size > bytesMost) {
      return `The file has ${megabytes(chosen.size)} MB; at most ${megabytes(bytesMost)} are taken. Split it.`;
    }
    const lines = (await chosen.slice(0, LOOKED_AT_BYTES).text()).split("\n");
    // The last one may be cut off.
    if (chosen.size > LOOKED_AT_BYTES) lines.pop();
    const seen = new Set();
    for (const [at, line] of lines.slice(0, LOOKED_AT_LINES).entries()) {
      if (line.trim() === "") continue;
      const problem = problemOfLine(line, seen);
      if (problem !== null) return `Line ${at + 1}: ${problem}`;
    }
    return null;
  }

  function problemOfLine(line, seen) {
    let item;
    try {
      item = JSON.parse(line);
    } catch {
      return "It is no valid JSON.";
    }
    if (!isObject(item)) {
      return `It must be a JSON object with custom_id and body, not ${kindOf(item)}.`;
    }
    const { custom_id: customId, method = "POST", url = "/v1/completions", body } = item;
    if (typeof customId !== "string" || customId === "" || customId.length > 256) {
      return "`custom_id` must be a string of 1 to 256 characters, by which you find the result.";
    }
    if (seen.has(customId)) return "`custom_id` stands there twice; results are found by it.";
    seen.add(customId);
    if (method !== "POST") return '`method` must be "POST".';
    if (url !== "/v1/completions") {
      return '`url` must be "/v1/completions": nothing else is served.';
    }
    if (!isObject(body)) return "`body` is required: the completion's fields.";
    const unknown = Object.keys(body).find((name) => !fields.includes(name));
    if (unknown !== undefined) return `\`${unknown}\` is not a field.`;
    if (!models.includes(body.model)) return `No such Model. The Models are: ${models.join(", ")}.`;
    return null;
  }
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return value === "" ? "an empty string" : `a ${typeof value}`;
}

function whole(number) {
  return number.toLocaleString("en-US");
}

function megabytes(bytes) {
  return (bytes / 1_048_576).toFixed(1);
}
