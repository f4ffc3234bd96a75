/** Plain JSON that the store keeps and never reads. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };
