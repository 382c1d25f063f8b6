import type { Published } from './store.ts';

/** So many are remembered. */
const kept = 1000;

/** What was published lately, so that somebody can ask what became of it by its version. */
export class Publishes {
  private readonly byVersion = new Map<string, Published>();

  /** Takes note of a publish, but for its names: nobody asks for them later. */
  remember(published: Published): void {
    this.byVersion.set(published.version, { ...published, names: [], removed: [] });
    if (this.byVersion.size > kept) this.byVersion.delete(this.byVersion.keys().next().value as string);
  }

  /** A publish by its version, or the newest; undefined if it is not known, or no longer. */
  named(version: string | undefined): Published | undefined {
    return version === undefined ? [...this.byVersion.values()].at(-1) : this.byVersion.get(version);
  }
}
