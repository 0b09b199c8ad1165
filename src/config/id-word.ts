/** What ids are made of, instances among them. */
export const ID_WORD = /^[a-z0-9]+(_[a-z0-9]+)*$/;
export const LONGEST_ID_WORD = 40;
export const USUAL_INSTANCE = "vigie";
