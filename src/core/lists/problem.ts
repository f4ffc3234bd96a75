import type { ListFault, ListProblem, ListSource } from './list.ts';

/** Whether people pasted a list or handed over a file: that field shows its problems. */
export type SourceKind = ListSource['kind'];

/** Faults of the words, not of the list. */
const OF_MESSAGE: readonly ListFault['code'][] = [
  'no_message',
  'unknown_placeholder',
  'same_names',
  'stray_brace',
  'no_opt_out_text',
];

/** A fault of a list or of its template, at the field where people can mend it. */
export function problemAt(source: SourceKind, fault: ListFault): ListProblem {
  const fieldOfList = source === 'pasted' ? 'recipients' : 'file';
  return { kind: 'problem', field: OF_MESSAGE.includes(fault.code) ? 'message' : fieldOfList, ...fault };
}
