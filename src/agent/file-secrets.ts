import { createPrivateKey, X509Certificate } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { PodFiles } from './pod-files.ts';
import type { Secret, SecretFiles } from './secret.ts';

export interface FileSecretsOptions {
  readonly files: PodFiles;
  readonly clock: Clock;
  /** Called when the files of a secret hold something else than they held when it was read. */
  onChange(name: string): void;
}

/** A change is looked at once nothing has changed for so long (FILE_DEBOUNCE_DURATION). */
const debounceMs = 100;

/** Secrets that lie in files of the pod. Their folders are watched, for kubelet replaces files by moving a link. */
export class FileSecrets {
  readonly #options: FileSecretsOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  /** By name: the files, and what was read last. */
  readonly #given = new Map<string, { readonly from: SecretFiles; readonly text: string }>();
  #callOff: (() => void) | undefined;

  constructor(options: FileSecretsOptions) {
    this.#options = options;
  }

  /** Reads a secret and watches its files from now on. Throws if they are not there or do not fit each other. */
  async read(name: string, from: SecretFiles): Promise<Secret> {
    const secret = await this.#secretIn(from);
    this.#given.set(name, { from, text: JSON.stringify(secret) });
    for (const file of from.kind === 'root' ? [from.root] : [from.chain, from.key]) this.#watch(dirname(this.#options.files.path(file)));
    return secret;
  }

  stop(): void {
    this.#callOff?.();
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #secretIn(from: SecretFiles): Promise<Secret> {
    const { files } = this.#options;
    if (from.kind === 'root') return { kind: 'root', root: await files.text(from.root) };
    const [chain, privateKey] = await Promise.all([files.text(from.chain), files.text(from.key)]);
    if (!fits(chain, privateKey)) throw new FakeIstiodError('pki.invalid', `${from.key} is not the key of ${from.chain}`);
    return { kind: 'certificate', chain, privateKey };
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return;
    // A folder that goes away takes its watcher along; who asks for the secret again starts anew.
    const watcher = watch(folder, () => this.#changed()).on('error', () => {
      watcher.close();
      this.#watchers.delete(folder);
    });
    this.#watchers.set(folder, watcher);
  }

  #changed(): void {
    this.#callOff?.();
    this.#callOff = this.#options.clock.after(debounceMs, () => void this.#compare());
  }

  async #compare(): Promise<void> {
    for (const [name, { from, text }] of this.#given) {
      // Half of a pair may be there already: the other half's change comes here again.
      const now = await this.#secretIn(from).catch(() => undefined);
      if (now === undefined || JSON.stringify(now) === text) continue;
      this.#given.set(name, { from, text: JSON.stringify(now) });
      this.#options.onChange(name);
    }
  }
}

function fits(chain: string, privateKey: string): boolean {
  try {
    return new X509Certificate(chain).checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    return false;
  }
}
