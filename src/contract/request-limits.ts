// Every bound of a request's body, the unit in the name. What depends on the Model (vocabulary,
// context, caps) stands in the catalogue; the bytes of a body are counted by whoever reads it.
export const requestLimits = {
  /** The longest id the catalogue's schema allows. */
  modelCharacters: 128,
  /** Each prompt is a sequence of its own; one request must not fill the backend's whole batch. */
  prompts: 128,
  /** OpenAI's bound for `n`, and what one prompt may fan out to. */
  n: 128,
  /** Prompts × n: vLLM runs 256 sequences at once by default, so one request never queues on itself. */
  choices: 256,
  /** vLLM raises what lies between 0 and this in silence, so such values are refused. */
  temperatureLeast: 0.01,
  /** OpenAI's; above it every vocabulary is nearly uniform noise. */
  temperatureMost: 2,
  /** OpenAI's range for both penalties, which vLLM enforces too. */
  penaltyMost: 2,
  /** Beyond it logits overflow in half precision and the answer is noise. */
  repetitionPenaltyMost: 10,
  /** OpenAI's; each is searched for in the text after every token. */
  stopStrings: 4,
  /** vLLM holds back this much text of a stream, to see if a stop string begins in it. */
  stopCharacters: 256,
  /** Each is compared with every token; a Model has a handful of ends. */
  stopTokenIds: 64,
  /** Doubles hold whole numbers exactly up to here; a larger seed would come out as another one. */
  seedMost: Number.MAX_SAFE_INTEGER,
  /** vLLM's own bound. */
  logprobTokenIds: 128,
  /** OpenAI's bound; each entry is a write into the logits at every step. */
  logitBiasEntries: 300,
  /** OpenAI's range; vLLM clamps beyond it in silence. */
  logitBiasMost: 100,
  /** The mask is built once a request; a list this long covers any label set. */
  allowedTokenIds: 4096,
  /** Each is tokenized twice and matched against the tail at every step. */
  badWords: 32,
  /** A longer bad word would be a second prompt, which no token count sees. */
  badWordCharacters: 256,
  /** OpenAI's field, kept for their SDKs and never sent on. */
  userCharacters: 256,
  /** Names in a refusal: enough to mend a body by, too few to make the answer large. */
  namedUnknownFields: 16,
  /** A longer name is repeated nowhere: it may be prompt text in the wrong place. */
  fieldNameCharacters: 64,
} as const;
