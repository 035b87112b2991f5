/** How PyYAML reads quoted texts and flow collections: their lines may begin anywhere. */

/** What is needed of the parser's lexer, whose own rule about indentation cannot be configured. */
interface Indenting {
  indentNext: number;
  parseQuotedScalar: () => Generator<string, unknown>;
  parseFlowCollection: () => Generator<string, unknown>;
}

/** Makes a lexer take lines of quoted texts and flow collections that are indented less than what is around them. */
export function leniently<T extends object>(lexer: T): T {
  const inner = lexer as unknown as Indenting; // The members are the lexer's; only its types hide them.
  for (const name of ['parseQuotedScalar', 'parseFlowCollection'] as const) {
    const strictly = inner[name].bind(lexer);
    inner[name] = function* () {
      const kept = inner.indentNext;
      inner.indentNext = 0;
      const next = yield* strictly();
      inner.indentNext = kept;
      return next;
    };
  }
  return lexer;
}
