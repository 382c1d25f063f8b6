/** Nothing that somebody named on purpose is longer. */
const longest = 500;

/** `text`, or how it begins and how long it is: the whole of what a client made up would fill pages, and take its time. */
export function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}
