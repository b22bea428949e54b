import type { WebhookPost } from './webhook-post.ts';

interface PostsUnderwayOptions {
  /** More than so many at once are too many. */
  readonly most: number;
  /** Time limit of a post while there are too many, ms. */
  readonly patienceMs: number;
}

/**
 * The posts that are on their way. While there are too many, those that have gone without an answer for longest end sooner than they
 * would: thousands of silent endpoints must not hold up the others for the whole time limit.
 */
export class PostsUnderway {
  readonly #options: PostsUnderwayOptions;
  /** When each began, monotonic, ms; the oldest first. */
  readonly #begun = new Map<Pick<WebhookPost, 'abort' | 'timeOut'>, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PostsUnderwayOptions) {
    this.#options = options;
  }

  add(post: Pick<WebhookPost, 'abort' | 'timeOut'>): void {
    this.#begun.set(post, performance.now());
    if (this.#timer === undefined) this.#endSome();
  }

  delete(post: Pick<WebhookPost, 'abort' | 'timeOut'>): void {
    this.#begun.delete(post);
  }

  /** Ends all of them. @param error why, for those that were not answered */
  abort(error: Error): void {
    clearTimeout(this.#timer);
    for (const post of this.#begun.keys()) post.abort(error);
  }

  #endSome(): void {
    const { most, patienceMs } = this.#options;
    this.#timer = undefined;
    for (const [post, since] of this.#begun) {
      if (this.#begun.size <= most) return;
      const leftMs = since + patienceMs - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(() => this.#endSome(), leftMs).unref();
        return;
      }
      this.#begun.delete(post);
      post.timeOut();
    }
  }
}
