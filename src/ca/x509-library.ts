/**
 * The library as one object. A static import in a file of its own: a bundler keeps the names of a CommonJS package only so, and
 * `import()` of this file still loads it when the first certificate is made.
 *
 * @note `reflect-metadata` has to be there before it.
 */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

export { x509 };
