/** How many undecided texts are counted: of what goes beyond that, people read "more than 100". */
export const MOST_UNDECIDED = 100;
