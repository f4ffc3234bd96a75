/** What a question about unlinking was about, as its buttons say it. */
export interface UnlinkValue {
  /** When the channel was linked, ms since 1970: a link that somebody made since has another time. */
  linkedAt: number;
  /** When the newest of its open jobs was confirmed, ms since 1970; 0 without any. */
  newestJob: number;
}

export function unlinkValue({ linkedAt, newestJob }: UnlinkValue): string {
  return `${linkedAt}/${newestJob}`;
}

/** Reads it. A button of an older version says nothing: then no link has that time. */
export function readUnlinkValue(value: string): UnlinkValue {
  const [linkedAt = Number.NaN, newestJob = 0] = value === '' ? [] : value.split('/').map(Number);
  return { linkedAt, newestJob };
}
