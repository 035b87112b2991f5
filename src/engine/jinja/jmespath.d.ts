declare module 'jmespath' {
  /** Evaluates a JMESPath expression. Throws Error on a bad one. */
  export function search(data: unknown, expression: string): unknown;
}
