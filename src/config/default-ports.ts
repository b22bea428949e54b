/** The ports of the processes, unless they are set. A file of its own because a health check loads nothing else. */

/** PORT of the API. */
export const API_PORT = 8470;

/** Ports on loopback of the processes without an API, unless METRICS_PORT is set. */
export const METRICS_PORTS = { consume: 8471, relay: 8472, notify: 8473, capture: 8474 } as const;
