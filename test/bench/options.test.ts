import { expect, it } from "vitest";
import { OptionProblem, parseOptions } from "../../bench/options.ts";

it("measures come in the bench's order, whatever order they were asked in", () => {
  const options = parseOptions(["--only", "large, latency", "--rounds", "2", "--peers", "nginx"]);
  expect(options).toEqual({
    rounds: 2,
    only: ["latency", "large"],
    peers: ["nginx"],
    json: null,
  });
});

it.each([
  [["--rounds", "0"], "--rounds"],
  [["--only", "speed"], '"speed"'],
  [["--peers", "apache"], '"apache"'],
  [["--fast"], "--fast"],
])("a wrong option is named: %j", (args, named) => {
  expect(() => parseOptions(args)).toThrow(OptionProblem);
  expect(() => parseOptions(args)).toThrow(named);
});
