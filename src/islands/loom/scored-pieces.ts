// Between what the API says of tokens and what a branch keeps of them. No I/O.
import type { Choice } from "../api/answers.ts";
import {
  likeliest,
  ranked,
  type ScoredToken,
  spreadTexts,
  tokensOfChoice,
} from "../model-text/scored-token.ts";
import type { Piece, Pieces } from "./pieces.ts";
import { pieceAt } from "./text-places.ts";
import type { TreeNode } from "./tree.ts";

/** Of one chunk; `asked` is the request's `logprobs`. */
export function piecesOf(choice: Choice, model: string, asked: number): Pieces {
  return tokensOfChoice(choice, asked).map((token) => pieceOf(token, model));
}

/** As the shared code for model text takes it; null for what a person wrote. */
export function tokenOf({ text, score }: Piece): ScoredToken | null {
  if (score === null) return null;
  const { id, logprob, rank, top } = score;
  return { id, text, logprob, rank, alternatives: [...top], from: "model" };
}

/** Whether a token has no text of its own, because it came together with others or begins a character. */
export function hasSharedTexts(pieces: Pieces): boolean {
  return pieces.some(({ text, score }) => score !== null && text === "");
}

/** Gives each token its own text, as far as texts are known; the whole text stays the same. */
export function withOwnTexts(
  pieces: Pieces,
  model: string,
  textOf: (id: number) => string | undefined,
): Pieces {
  const tokens: ScoredToken[] = [];
  for (const piece of pieces) {
    const token = tokenOf(piece);
    // A run that a person wrote, or a token that was cut, cannot be told anew.
    if (token === null || piece.from > 0 || piece.score?.model !== model) return pieces;
    tokens.push(token);
  }
  spreadTexts(tokens, textOf);
  return tokens.map((token) => pieceOf(token, model));
}

/** A token in place of the one that begins there, with its own number; null if it is no text alone. */
export function alternativeAt(
  node: TreeNode,
  choice: { start: number; tokenId: number; textOf(model: string): string | undefined },
): Pieces | null {
  const found = pieceAt(node, choice.start);
  const token = found === null ? null : tokenOf(found.piece);
  const score = found?.piece.score ?? null;
  if (found === null || token === null || score === null) return null;
  const chosen = ranked(token).find(({ id }) => id === choice.tokenId);
  const text = choice.textOf(score.model);
  // The tokens before it hold the character's first bytes, and its last are among the alternatives.
  const before = node.pieces[node.pieces.indexOf(found.piece) - 1];
  const isPiece = before !== undefined && before.score !== null && before.text === "";
  if (chosen === undefined || text === undefined || isPiece) return null;
  if (text === "" || text.includes("\ufffd")) return null;
  const { id, logprob, rank } = chosen;
  const top = id === token.id ? score.top : likeliest(token, score.top);
  return [{ text, from: 0, score: { ...score, id, logprob, rank, top } }];
}

function pieceOf({ id, text, logprob, rank, alternatives }: ScoredToken, model: string): Piece {
  // The API says one of every token it generates; without it there is no number to show.
  const score = {
    model,
    id,
    logprob: logprob ?? Number.NEGATIVE_INFINITY,
    rank,
    top: alternatives,
  };
  return { text, score, from: 0 };
}
