export interface HomeOwner {
  team: string;
  user: string;
}

/** What a Home shows: a digest of its content, and the hash by which Slack knows the view. */
export interface ShownHome {
  digest: string;
  hash: string;
}

export interface DueHome extends HomeOwner {
  /** Missing if we don't know what the Home shows. */
  shown?: ShownHome;
}
