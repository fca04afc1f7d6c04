// How often each property is tried: few by default, `FC_RUNS=5000` for a long search.
const FEW = 300;

export const numRuns = Number(process.env.FC_RUNS ?? FEW);
