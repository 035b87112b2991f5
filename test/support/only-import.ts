/**
 * Lets mocha load test files with `import` alone. It would try `require` first, and tsx then compiles each file that both
 * reach twice: an error of one copy is no instance of the class of the other.
 */
Object.defineProperty(process.features, 'require_module', { value: false });
