import express, { type Express } from 'express';

/** What Express takes by itself, without any of its extras: a route that has nothing to say. */
export function emptyApp(): Express {
  const app = express();
  for (const setting of ['x-powered-by', 'etag']) app.disable(setting);
  app.get('/v1/users/:user/contacts/recent', (_request, response) => {
    response.json({});
  });
  return app;
}
