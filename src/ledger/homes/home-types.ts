/** Whose Home it is. */
export interface HomeOwner {
  team: string;
  user: string;
}

/** What a Home shows: a digest of its content, and the hash by which Slack knows the view. */
export interface ShownHome {
  digest: string;
  hash: string;
}

/** A Home to look at. */
export interface DueHome extends HomeOwner {
  /** Missing where nobody knows what the Home shows. */
  shown?: ShownHome;
}
