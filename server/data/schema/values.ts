/** 0 for no, 1 for yes. */
export type Bit = 0 | 1;
/** UTC, in ms. */
export type Ms = number;
