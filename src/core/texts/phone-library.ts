import { createRequire } from 'node:module';
import type * as PhoneLibrary from 'libphonenumber-js/max';

const require = createRequire(import.meta.url);

let library: typeof PhoneLibrary | undefined;

/** Knows the numbers of all countries. Loaded with the first number: a start can do without it. */
export function phoneLibrary(): typeof PhoneLibrary {
  library ??= require('libphonenumber-js/max') as typeof PhoneLibrary;
  return library;
}
