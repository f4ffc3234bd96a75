import type { ListFault, ListProblem, ListSource } from './list.ts';

/** Whether people pasted a list or handed over a file: its problems stand at that field. */
export type SourceKind = ListSource['kind'];

/** A fault of a list or of its template, at the field where people can mend it. */
export function problemAt(source: SourceKind, fault: ListFault): ListProblem {
  return { kind: 'problem', field: fieldOf(source, fault), ...fault };
}

function fieldOf(source: SourceKind, { code }: ListFault): ListProblem['field'] {
  if (code === 'no_message' || code === 'unknown_placeholder' || code === 'stray_brace') return 'message';
  return source === 'pasted' ? 'recipients' : 'file';
}
