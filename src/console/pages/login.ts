import type { HttpProblem } from '../../api/http-problem.ts';
import { html } from '../html.ts';
import type { View } from '../layout.ts';

/** @param next where the browser is led afterwards @param message why the form is shown again */
export function loginView({ next, message }: { readonly next: string; readonly message?: string | undefined }): View {
  return {
    title: 'Log in',
    status: 401,
    content: html`${message !== undefined && html`<p class="notice warning" role="alert">${message}</p>`}
<form method="post" action="/console/login" class="login">
<input type="hidden" name="next" value="${next}">
<p><label for="token">Token with the scope <code>admin</code></label>
<input id="token" name="token" type="password" required autocomplete="current-password" autofocus></p>
<p><button class="primary">Log in</button></p>
</form>
<p class="hint">One of <code>RECENCY_TOKENS</code>. You stay logged in for an hour.</p>`,
  };
}

/** What is shown in place of a page that failed. */
export function failureView({ status, message, errors }: HttpProblem): View {
  const title =
    status === 404 ? 'Not found' : status === 503 ? 'Not available' : status < 500 ? 'Not possible' : 'Failed';
  return {
    title,
    status,
    // It comes back by itself.
    isLive: status === 503,
    content: html`<p class="notice problem" role="alert">${message}</p>
${errors.length > 1 && html`<ul>${errors.map(({ field, detail }) => html`<li>${field}: ${detail}</li>`)}</ul>`}`,
  };
}
