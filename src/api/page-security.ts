import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * The security headers of pages. Scripts, styles and requests only from here and nothing inline. No HSTS: TLS is up to the proxy
 * in front.
 * @param images what may be shown besides the images from here @param formAction where forms may be sent
 */
export function pageSecurity({
  images = [],
  formAction,
}: {
  readonly images?: readonly string[];
  readonly formAction: "'none'" | "'self'";
}): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", ...images],
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': [formAction],
        'frame-ancestors': ["'none'"],
      },
    },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
}
