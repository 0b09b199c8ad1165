/** A part of what is seen, such as the page: each line of it is data, or words for people. */
export interface Part {
  title: string;
  data: string[];
  words: string[];
}
