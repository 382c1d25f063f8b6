import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** What design.md rules out by name: a file is named after a noun of the field. */
const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name: a default export gets another name at each import.',
};
const noRealTime = {
  selector: "CallExpression[callee.name='setTimeout']",
  message: 'Tests do not sleep: wait for an event or move the clock.',
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', 'reports/', 'examples/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    rules: {
      eqeqeq: 'error',
      'max-lines': ['error', 300],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', noDefaultExport],
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.mjs', 'test/fuzz/*.cjs'],
    languageOptions: {
      globals: {
        setImmediate: 'readonly',
        setInterval: 'readonly',
        process: 'readonly',
        console: 'readonly',
        performance: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        fetch: 'readonly',
      },
    },
  },
  // A `describe` is a list of tests, not a function that does something.
  { files: ['test/**/*.ts'], rules: { 'max-lines-per-function': 'off', 'no-restricted-syntax': ['error', noDefaultExport, noRealTime] } },
  { files: ['*.config.{ts,mjs}'], rules: { 'no-restricted-syntax': 'off' } },
);
