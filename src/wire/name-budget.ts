import { maxNames } from '../protocol/request.ts';

/**
 * Counts the names in one request, so that one with more of them than are taken costs no more than those. Thousands of names are a large
 * mesh; hundreds of thousands would hold up all other streams.
 */
export class NameBudget {
  private left = maxNames;

  /** One more name. Throws a RangeError if that is one too many. */
  spend(): void {
    if (--this.left < 0) throw new RangeError(`more than ${maxNames} names in one request`);
  }
}
