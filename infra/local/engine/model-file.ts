// The learned counts on disk: a small JSON head, then the arrays as they stand in memory, so a
// later start reads one file and copies nothing.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countNgrams, type Level, type Ngrams } from "./ngram.ts";
import { END_OF_TEXT, tokenize } from "./tokenizer.ts";
import { trainingDocuments, trainingTextMark } from "./training-text.ts";

/** Changes whenever the layout of the file or the way of counting does. */
const FORMAT = "continuo-ngram-1";
const HEAD_BYTES = 1024;

interface Head {
  format: string;
  text: string;
  /** Nodes of each level. */
  nodes: number[];
}

export type Progress = (line: string) => void;

/** The model from the data folder, or learned from the training text and kept there. */
export function loadOrTrain(dataFolder: string, progress: Progress): Ngrams {
  const path = join(dataFolder, "ngram.bin");
  const mark = trainingTextMark();
  const cached = readModel(path, mark);
  if (cached !== undefined) return cached;
  const ngrams = train(progress);
  mkdirSync(dataFolder, { recursive: true });
  writeModel(path, mark, ngrams);
  progress(`engine: kept in ${path}`);
  return ngrams;
}

function train(progress: Progress): Ngrams {
  const began = performance.now();
  progress("engine: learning from text, once");
  const ids: number[] = [END_OF_TEXT];
  const documents = trainingDocuments();
  for (const document of documents) {
    for (const id of tokenize(document)) ids.push(id);
    ids.push(END_OF_TEXT);
  }
  progress(`engine: ${documents.length} documents, ${ids.length} tokens; counting`);
  const ngrams = countNgrams(Uint16Array.from(ids));
  progress(`engine: learned in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return ngrams;
}

function arraysOf(level: Level): (Uint16Array | Uint32Array)[] {
  return [level.counts, level.childStarts, level.tokens];
}

function writeModel(path: string, text: string, ngrams: Ngrams): void {
  const head: Head = {
    format: FORMAT,
    text,
    nodes: ngrams.levels.map((level) => level.tokens.length),
  };
  const parts: Buffer[] = [Buffer.from(JSON.stringify(head).padEnd(HEAD_BYTES))];
  for (const array of ngrams.levels.flatMap(arraysOf)) {
    parts.push(Buffer.from(array.buffer, array.byteOffset, array.byteLength));
    parts.push(Buffer.alloc(-array.byteLength & 3));
  }
  // Renaming is atomic: a start that was killed half-way leaves no broken model behind.
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, Buffer.concat(parts));
  renameSync(unfinished, path);
}

function readModel(path: string, text: string): Ngrams | undefined {
  let file: Buffer;
  try {
    file = readFileSync(path);
  } catch {
    return undefined;
  }
  const head = parseHead(file);
  if (head?.format !== FORMAT || head.text !== text) return undefined;
  let offset = file.byteOffset + HEAD_BYTES;
  const words = (length: number): Uint32Array => {
    const array = new Uint32Array(file.buffer, offset, length);
    offset += length * 4;
    return array;
  };
  const levels = head.nodes.map((nodes, index): Level => {
    const counts = words(nodes + 1);
    const childStarts = words(index === head.nodes.length - 1 ? 0 : nodes + 1);
    const tokens = new Uint16Array(file.buffer, offset, nodes);
    offset += nodes * 2 + ((nodes * 2) & 3);
    return { counts, childStarts, tokens };
  });
  return { levels };
}

function parseHead(file: Buffer): Head | undefined {
  try {
    return JSON.parse(file.subarray(0, HEAD_BYTES).toString()) as Head;
  } catch {
    return undefined;
  }
}
