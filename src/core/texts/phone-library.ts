import { createRequire } from 'node:module';
import type * as PhoneLibrary from 'libphonenumber-js/max';

const require = createRequire(import.meta.url);

let library: typeof PhoneLibrary | undefined;

/**
 * The library that knows the numbers of all countries; loaded with the first number, since a start can do without it.
 */
export function phoneLibrary(): typeof PhoneLibrary {
  library ??= require('libphonenumber-js/max') as typeof PhoneLibrary;
  return library;
}
