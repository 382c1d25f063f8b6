import { maxNames } from '../protocol/request.ts';

/**
 * Counts the names in one request, so that one with more of them than are taken costs no more than those. Thousands of names are a large
 * mesh; hundreds of thousands would hold up all other streams.
 */
export class NameBudget {
  private left = maxNames;

  /** So many more names. Throws a RangeError if that is too many. */
  spend(count = 1): void {
    this.left -= count;
    if (this.left < 0) throw new RangeError(`more than ${maxNames} names in one request`);
  }
}
