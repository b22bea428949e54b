/**
 * The API's paths, parameters, bodies and answers. Written by `npm run client:types` from the OpenAPI document; a test
 * fails when the two differ.
 */

export interface paths {
    "/v1/users/{user}/contacts/recent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's most recently active contacts
         * @description Only contacts with a photo that the user may see, ordered by the newest such photo.
         */
        get: operations["recentContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/recent/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest photos of the user's most recently active contacts
         * @description Grouped by contact. Only photos that the user may see; this is checked again when the photos are read.
         */
        get: operations["recentPhotos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/{id}/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The photos of one of the user's contacts
         * @description Only photos that the user may see; none of a contact whom the user does not follow. To show what is new without missing anything: ask with `unseen=true`, show the page, pass its `answer.through` to `PUT …/contacts/{id}/seen`, and ask again.
         */
        get: operations["photosOfContact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/recent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's most recently active groups
         * @description Only groups with a photo that the user may see, ordered by the newest such photo. 404 where RECENCY_KINDS does not name groups.
         */
        get: operations["recentGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/recent/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest photos of the user's most recently active groups
         * @description Grouped by group. Only photos that the user may see; this is checked again when the photos are read. 404 where RECENCY_KINDS does not name groups.
         */
        get: operations["recentGroupPhotos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/{id}/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The photos of one of the user's groups
         * @description Only photos that the user may see; none of a group whom the user does not follow. To show what is new without missing anything: ask with `unseen=true`, show the page, pass its `answer.through` to `PUT …/groups/{id}/seen`, and ask again. 404 where RECENCY_KINDS does not name groups.
         */
        get: operations["photosOfGroup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/recent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's most recently active sources of every kind
         * @description Contacts and whatever else RECENCY_KINDS names, in one list. `answer` says what holds for all kinds: the index answered if it did for each, and the floor is the highest. `answer.through` covers every kind. Each kind is read at a moment of its own, after `as_of`: everything committed before then is in the answer, and of what one transaction changes in two kinds afterwards, one may be shown without the other.
         */
        get: operations["recentSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/recent/photos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest photos of the user's most recently active sources of every kind
         * @description Grouped by source. Only photos that the user may see; this is checked again when the photos are read. `answer` says what holds for all kinds: the index answered if it did for each, and the floor is the highest. `answer.through` covers every kind. Each kind is read at a moment of its own, after `as_of`: everything committed before then is in the answer, and of what one transaction changes in two kinds afterwards, one may be shown without the other.
         */
        get: operations["recentSourcesPhotos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/recent/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's most recently active contacts, whenever they change
         * @description Server-Sent Events that do not end: first the current head, then the head after every change. `event: head`, `data:` what the route without `/stream` answers, `id:` its ETag. No history is needed: a client that reconnects is sent the current head, unless its Last-Event-ID names that head. A comment comes every 15 s; `retry:` says how long to wait before connecting again. A client that does not read is disconnected. What the user has marked as seen is shown with the next change, or within a minute.
         */
        get: operations["streamRecentContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/recent/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's most recently active groups, whenever they change
         * @description Server-Sent Events that do not end: first the current head, then the head after every change. `event: head`, `data:` what the route without `/stream` answers, `id:` its ETag. No history is needed: a client that reconnects is sent the current head, unless its Last-Event-ID names that head. A comment comes every 15 s; `retry:` says how long to wait before connecting again. A client that does not read is disconnected. What the user has marked as seen is shown with the next change, or within a minute. 404 where RECENCY_KINDS does not name groups.
         */
        get: operations["streamRecentGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/recent/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The user's most recently active sources of every kind, whenever they change
         * @description Server-Sent Events that do not end: first the current head, then the head after every change. `event: head`, `data:` what the route without `/stream` answers, `id:` its ETag. No history is needed: a client that reconnects is sent the current head, unless its Last-Event-ID names that head. A comment comes every 15 s; `retry:` says how long to wait before connecting again. A client that does not read is disconnected. What the user has marked as seen is shown with the next change, or within a minute.
         */
        get: operations["streamRecentSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The most recently active contacts, or groups, of up to 100 users
         * @description For digests and pages with many users. Each answer is the first page, certified by that user’s own index; `next` continues it at the route of that user. The reply is a problem only when nobody can be answered.
         */
        post: operations["recentOfMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/{contact}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why a contact is, or is not, in the user's index and answer
         * @description Costs as much as a plain query, because it counts who was active more recently.
         */
        get: operations["explainContact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/{group}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why a group is, or is not, in the user's index and answer
         * @description Costs as much as a plain query, because it counts who was active more recently. 404 where RECENCY_KINDS does not name groups.
         */
        get: operations["explainGroup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/unseen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many contacts have something new
         * @description Counted up to 100. They are the rows of `…/contacts/recent?unseen=true`, so `answer.through` covers all of them.
         */
        get: operations["countUnseenContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/unseen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many groups have something new
         * @description Counted up to 100. They are the rows of `…/groups/recent?unseen=true`, so `answer.through` covers all of them. 404 where RECENCY_KINDS does not name groups.
         */
        get: operations["countUnseenGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/unseen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many sources of every kind have something new
         * @description The sum over the kinds in use, up to 100. `answer` says what holds for all of them: the index answered if it did for each, and the floor is the highest. `answer.through` covers every kind.
         */
        get: operations["countUnseen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Marks everything as seen, of every kind
         * @description Marks what the answer with this `through` shows, and everything older. What is newer stays unseen, also what was uploaded between the answer and this request. Cursors never fall: repeated, late and lower marks change nothing.
         */
        put: operations["markSeen"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Marks all contacts as seen
         * @description Marks what the answer with this `through` shows, and everything older. What is newer stays unseen, also what was uploaded between the answer and this request. Cursors never fall: repeated, late and lower marks change nothing.
         */
        put: operations["markContactsSeen"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/{id}/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Marks one of the contacts as seen
         * @description Marks what the answer with this `through` shows, and everything older. What is newer stays unseen, also what was uploaded between the answer and this request. Cursors never fall: repeated, late and lower marks change nothing.
         */
        put: operations["markContactSeen"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Marks all groups as seen
         * @description Marks what the answer with this `through` shows, and everything older. What is newer stays unseen, also what was uploaded between the answer and this request. Cursors never fall: repeated, late and lower marks change nothing.
         */
        put: operations["markGroupsSeen"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/{id}/seen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Marks one of the groups as seen
         * @description Marks what the answer with this `through` shows, and everything older. What is newer stays unseen, also what was uploaded between the answer and this request. Cursors never fall: repeated, late and lower marks change nothing.
         */
        put: operations["markGroupSeen"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reports that something changed
         * @description One task or an array of up to 500, posted after the change was committed. A task is only a hint: what it names is read from MySQL. 202 means that the transport has stored the tasks.
         */
        post: operations["postTasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/index": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user's index of contacts as it is
         * @description The same as `…/contacts/index`. Does not count as use, so it does not keep the index from being dropped as idle.
         */
        get: operations["inspectIndex"];
        put?: never;
        post?: never;
        /**
         * Drops a user's indexes of every kind, and pending work
         * @description Nothing else is erased: the user's rows in MySQL, from which a later read builds an index again (a build requested earlier does not), watches, what was seen, tasks and dead letters. For a request of erasure there is `recency forget`.
         */
        delete: operations["forgetIndex"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Large fan-outs in progress
         * @description Those to audiences of more than a page of followers, from their plan until their last segment is done; the oldest first.
         */
        get: operations["listFanOuts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/index/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuilds a user's index of contacts from MySQL
         * @description The same as `…/contacts/index/rebuild`.
         */
        post: operations["rebuildIndex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/index": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user's index of contacts as it is
         * @description Does not count as use, so it does not keep the index from being dropped as idle.
         */
        get: operations["inspectContactsIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/contacts/index/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuilds a user's index of contacts from MySQL
         * @description The user's other indexes stay as they are.
         */
        post: operations["rebuildContactsIndex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/index": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user's index of groups as it is
         * @description Does not count as use, so it does not keep the index from being dropped as idle. 404 where RECENCY_KINDS does not name groups.
         */
        get: operations["inspectGroupsIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{user}/groups/index/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuilds a user's index of groups from MySQL
         * @description The user's other indexes stay as they are. 404 where RECENCY_KINDS does not name groups.
         */
        post: operations["rebuildGroupsIndex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages that cannot be applied, the oldest first, without their bodies
         * @description Those that were replayed or discarded are left out: nobody has to look at them.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publishes dead letters again, once their cause is fixed
         * @description With their original bytes and headers, each once. They are not listed any more; one that fails again is a new letter, which gives both reasons.
         */
        post: operations["replayDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lists dead letters no longer: they change nothing any more
         * @description Which they were, when and why is kept in `recency_settled_letters`; the letters stay on the transport until its retention ends.
         */
        post: operations["discardDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One dead letter: its headers, and the first 64 KiB of its body
         * @description Also one that was replayed or discarded, while the transport keeps it.
         */
        get: operations["showDeadLetter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/watches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A user's watches */
        get: operations["listWatches"];
        put?: never;
        /**
         * Has somebody told of what is new to a user
         * @description Notifications are delivered by `recency notify`. What is there already is not news.
         */
        post: operations["createWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/watches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One watch */
        get: operations["getWatch"];
        put?: never;
        post?: never;
        /** Ends a watch and removes it */
        delete: operations["deleteWatch"];
        options?: never;
        head?: never;
        /**
         * Changes a watch
         * @description With another relation, and for kinds that are added, what is there at that moment is not news. What was new before is.
         */
        patch: operations["changeWatch"];
        trace?: never;
    };
    "/v1/watches/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Has a test delivered
         * @description A notification of the type `recency.test`, without sources. It is not tried again if it fails; `last_test` of the watch says what became of it.
         */
        post: operations["testWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive? Restart it if this does not answer */
        get: operations["livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Should requests be sent here? */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/startupz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Has the process started? */
        get: operations["startupz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document as a web page */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A file of the documentation page */
        get: operations["docsFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["openApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description An id: a BIGINT UNSIGNED of MySQL as decimal text.
         * @example 42
         */
        Id: string;
        RecentOfMany: {
            /** @description A user may come several times. */
            users: components["schemas"]["Id"][];
            /**
             * @description One that RECENCY_KINDS names.
             * @default contacts
             * @enum {string}
             */
            kind?: "contacts" | "groups";
            /**
             * @description Sources in each answer.
             * @default 10
             */
            limit?: number;
            /**
             * @description Only of contacts.
             * @default any
             */
            relation?: string | ("any" | "friends" | "family" | "friends_or_family");
            /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. */
            since?: ((string | number) | (number | string)) | string | number;
            /**
             * @default index
             * @enum {string}
             */
            consistency?: "index" | "strong";
            /** @description As in the query of a single answer, ms. */
            max_lag?: number;
        };
        /** @description Either `through` or `at`. */
        Seen: {
            /** @description The `answer.through` of the answer that was shown. */
            through?: string;
            /**
             * Format: date-time
             * @description Everything up to this time, RFC 3339. A time in the future is taken for now.
             */
            at?: string;
        };
        Task: {
            /** @enum {string} */
            type: "recency.contact.added" | "recency.contact.removed" | "recency.contact.changed";
            user: components["schemas"]["Id"];
            contact: components["schemas"]["Id"];
            /** @description The version of the relationship that this task speaks of. */
            version?: components["schemas"]["Id"] | number;
        } | {
            /** @enum {string} */
            type: "recency.photo.uploaded" | "recency.photo.deleted" | "recency.photo.visibility_changed";
            owner: components["schemas"]["Id"];
            photo?: components["schemas"]["Id"];
            at?: number;
        } | {
            /** @enum {string} */
            type: "recency.group.joined" | "recency.group.left" | "recency.group.changed";
            user: components["schemas"]["Id"];
            group: components["schemas"]["Id"];
            /** @description The version of the relationship that this task speaks of. */
            version?: components["schemas"]["Id"] | number;
        } | {
            /** @enum {string} */
            type: "recency.group_photo.added" | "recency.group_photo.removed" | "recency.group_photo.visibility_changed";
            group: components["schemas"]["Id"];
            photo?: components["schemas"]["Id"];
            at?: number;
        } | {
            /** @enum {string} */
            type: "recency.user.changed" | "recency.user.deleted";
            user: components["schemas"]["Id"];
        };
        DeadLettersToReplay: {
            ids: string[];
        };
        DeadLettersToDiscard: {
            ids?: string[];
            /** @description All letters of this type, in place of `ids`. */
            type?: string;
            /** @description The reason, which is kept. */
            why: string;
        };
        NewWatch: {
            user: components["schemas"]["Id"];
            /** @description The kinds that it is told of. */
            kinds?: ("contacts" | "groups")[];
            /** @enum {string} */
            channel: "webhook" | "kafka";
            /** @description Of a webhook: https, without a user or password. */
            url?: string;
            /**
             * @description Of contacts; other kinds have no relations.
             * @default any
             */
            relation?: string | ("any" | "friends" | "family" | "friends_or_family");
            /**
             * @description Ids that it is never told of.
             * @default []
             */
            muted?: components["schemas"]["Id"][];
            /**
             * @description Least time from one notification to the next, ms; what is new meanwhile comes together.
             * @default 0
             */
            interval_ms?: number;
        };
        /** @description What is left out stays. A watch that had ended goes on. */
        WatchPatch: {
            /** @description The kinds that it is told of. */
            kinds?: ("contacts" | "groups")[];
            /** @description Of a webhook: https, without a user or password. */
            url?: string;
            /** @description Of contacts; other kinds have no relations. */
            relation?: string | ("any" | "friends" | "family" | "friends_or_family");
            /** @description Ids that it is never told of. */
            muted?: components["schemas"]["Id"][];
            /** @description Least time from one notification to the next, ms; what is new meanwhile comes together. */
            interval_ms?: number;
            /**
             * @description Of a webhook: a new secret, returned once. The current one signs along with it until the next rotation.
             * @constant
             */
            rotate_secret?: true;
        };
        RecentContacts: {
            user: components["schemas"]["Id"];
            /** @description Most recently active first; of those that were active at the same time, by their ids as texts, from the highest ("9" before "10"). */
            contacts: {
                id: components["schemas"]["Id"];
                /** @description The time of the contact's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description friend, family, and names that RECENCY_RELATIONS gives to bits. */
                relation: string[];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
            }[];
            /** @description The `after` of the next page; null: this is the last page. */
            next: string | null;
            answer: components["schemas"]["Answer"];
        };
        /**
         * Format: date-time
         * @description UTC, with milliseconds. A time after the year 9999 is written as the last moment of that year.
         */
        Time: string;
        /** @description The columns `extra_…` of the site's view, without the prefix; left out where the view has none. BIGINT and DECIMAL are strings, DATETIME and TIMESTAMP times in UTC. */
        Extra: {
            [key: string]: string | number | null;
        };
        /** @description Where the answer came from, and whether it is exact. */
        Answer: {
            /**
             * @description index: the index narrowed the live query. database: the plain query read all contacts.
             * @enum {string}
             */
            source: "index" | "database";
            /** @description The answer contains every change that was committed `lag_ms` or longer before `as_of`, each row in its right place; and `lag_ms` is known and at most `RECENCY_EXACT_WITHIN_MS` (10,000 unless it is set). */
            exact: boolean;
            /** @description Every contact of the user was considered. */
            complete: boolean;
            /** @description null: no contact was left out. */
            floor: components["schemas"]["Floor"] | null;
            /**
             * @description Why the database answered, or why an answer from the primary is not exact. cold: the user has no index; the second read within a day builds it, the first where indexes are kept for good (`RECENCY_KEEP`). small: the user has so few contacts (`RECENCY_INDEX_ABOVE`) that reading all of them takes no longer than an index does, so none is kept. redis_unavailable: Redis is unavailable, or not trusted yet. below_floor: a filter, a page or a limit reaches below what the index knows. changed_meanwhile: the contacts changed while their photos were read. not_refreshed: a change named in Recency-Fresh could not be written to the index in time, so the plain query shows it. version_not_committed: MySQL does not have a version named in Recency-Fresh yet, so the answer does not show that change. strong: `consistency=strong` was asked for. lag: from the index, not exact: `lag_ms` is not known, or greater than `RECENCY_EXACT_WITHIN_MS`; from the database, exact: it was not known, or greater than `max_lag`. one_source: the photos of one source are in no index, and a few are read.
             * @enum {string}
             */
            reason?: "cold" | "redis_unavailable" | "small" | "below_floor" | "changed_meanwhile" | "not_refreshed" | "version_not_committed" | "strong" | "lag" | "one_source";
            /** @description When reading began, by the clock of the process that answers. Every change committed before is in the answer, unless it is younger than `lag_ms`. */
            as_of: components["schemas"]["Time"];
            /** @description The age of the oldest change that may be missing because it is not applied to the index yet, in ms at `as_of`: an upper bound over the outbox, the transport and delayed work, measured twice a second. 0: the database answered, so nothing is missing. null: not known, because the rows come from a replica, because this process has just started, or because nothing applies the changes: then an answer from the index is not exact. */
            lag_ms: number | null;
            /** @description What the answer shows. When it is on the screen, pass it to `PUT …/seen`. Opaque. */
            through: string;
            /**
             * @description The rows come from a replica, which may lag: the answer is not exact.
             * @constant
             */
            replica?: true;
        };
        /** @description The highest position ever left out of the index. */
        Floor: {
            at: components["schemas"]["Time"];
            id: components["schemas"]["Id"];
        };
        /** @description Problem details (RFC 9457). */
        Problem: {
            /** @constant */
            type: "about:blank";
            /** @description The reason phrase of the status. */
            title: string;
            status: number;
            /** @description A human-readable explanation; the wording may change. */
            detail: string;
            /**
             * @description Stable; branch on this.
             * @enum {string}
             */
            code: "invalid_parameter" | "invalid_header" | "invalid_body" | "malformed_json" | "malformed_request" | "token_missing" | "token_unknown" | "scope_missing" | "not_found" | "letter_unknown" | "watch_unknown" | "method_not_allowed" | "request_timeout" | "key_in_the_way" | "letter_not_replayable" | "watch_busy" | "too_many_watches" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "host_not_allowed" | "headers_too_large" | "database_refused" | "internal" | "starting" | "database_busy" | "database_unavailable" | "redis_unavailable" | "plain_query_limit" | "deadline_exceeded" | "transport_unavailable" | "epoch_suspended" | "transport_full" | "index_slow" | "streams_full" | "contended";
            /** @description Also in the header X-Request-Id, and in the log. */
            request_id: string;
            /** @description The first invalid field. */
            field?: string;
            /** @description Every invalid field. */
            errors?: {
                /**
                 * @description In an array with its position, from 0.
                 * @example [3].contact
                 */
                field: string;
                /** @enum {string} */
                in: "path" | "query" | "header" | "body";
                detail: string;
            }[];
        };
        RecentPhotos: {
            user: components["schemas"]["Id"];
            /** @description Most recently active contact first; the newest photo of each first. */
            contacts: {
                id: components["schemas"]["Id"];
                /** @description The time of the contact's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description friend, family, and names that RECENCY_RELATIONS gives to bits. */
                relation: string[];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
                photos: components["schemas"]["Photo"][];
            }[];
            answer: components["schemas"]["Answer"];
        };
        Photo: {
            id: components["schemas"]["Id"];
            uploaded_at: components["schemas"]["Time"];
            title: string;
            extra?: components["schemas"]["Extra"];
        };
        SourcePhotos: {
            user: components["schemas"]["Id"];
            /** @description What the user follows. */
            id: components["schemas"]["Id"];
            /** @description Newest first; with `unseen=true`, oldest first. */
            photos: components["schemas"]["Photo"][];
            /** @description The `after` of the next page; null: this is the last page. */
            next: string | null;
            answer: components["schemas"]["Answer"];
        };
        RecentGroups: {
            user: components["schemas"]["Id"];
            /** @description Most recently active first; of those that were active at the same time, by their ids as texts, from the highest ("9" before "10"). */
            groups: {
                id: components["schemas"]["Id"];
                /** @description The time of the group's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
            }[];
            /** @description The `after` of the next page; null: this is the last page. */
            next: string | null;
            answer: components["schemas"]["Answer"];
        };
        RecentGroupPhotos: {
            user: components["schemas"]["Id"];
            /** @description Most recently active group first; the newest photo of each first. */
            groups: {
                id: components["schemas"]["Id"];
                /** @description The time of the group's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
                photos: components["schemas"]["Photo"][];
            }[];
            answer: components["schemas"]["Answer"];
        };
        RecentSources: {
            user: components["schemas"]["Id"];
            /** @description Most recently active first; of those that were active at the same time, contacts before groups, and in the order of their own list. */
            sources: ({
                /** @constant */
                kind: "contacts";
                id: components["schemas"]["Id"];
                /** @description The time of the contact's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description friend, family, and names that RECENCY_RELATIONS gives to bits. */
                relation: string[];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
            } | {
                /** @constant */
                kind: "groups";
                id: components["schemas"]["Id"];
                /** @description The time of the group's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
            })[];
            /** @description The `after` of the next page; null: this is the last page. */
            next: string | null;
            answer: components["schemas"]["Answer"];
        };
        RecentSourcesPhotos: {
            user: components["schemas"]["Id"];
            /** @description Most recently active first; of those that were active at the same time, contacts before groups, and in the order of their own list. The newest photo of each first. */
            sources: ({
                /** @constant */
                kind: "contacts";
                id: components["schemas"]["Id"];
                /** @description The time of the contact's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description friend, family, and names that RECENCY_RELATIONS gives to bits. */
                relation: string[];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
                photos: components["schemas"]["Photo"][];
            } | {
                /** @constant */
                kind: "groups";
                id: components["schemas"]["Id"];
                /** @description The time of the group's newest photo that this user may see. */
                last_upload_at: components["schemas"]["Time"];
                /** @description It was active after everything that the user has seen (`PUT …/seen`). By the time of the newest photo: one that is revealed later, with an old time, is not new. */
                unseen: boolean;
                extra?: components["schemas"]["Extra"];
                photos: components["schemas"]["Photo"][];
            })[];
            answer: components["schemas"]["Answer"];
        };
        RecentAnswers: {
            /** @description In the order of `users`: the same as a single answer, or a problem (it has `code`) for a user who cannot be answered now. */
            answers: (components["schemas"]["RecentContacts"] | components["schemas"]["RecentGroups"] | components["schemas"]["Problem"])[];
        };
        Explanation: {
            user: components["schemas"]["Id"];
            contact: components["schemas"]["Id"];
            verdict: {
                /**
                 * @description Why the contact is, or is not, in the index.
                 * @enum {string}
                 */
                code: "in_index" | "below_floor" | "not_a_contact" | "own_self" | "no_longer_related" | "no_visible_upload" | "cold" | "small" | "building" | "other_epoch" | "torn" | "wrong_type" | "missing" | "hole" | "ghost" | "score";
                /** @description The same as a sentence. */
                sentence: string;
            };
            /** @description How the index is wrong, about this contact or as a whole; null: it is not. */
            drift: ("missing" | "hole" | "ghost" | "score" | "cap" | "floor" | "torn" | "wrong_type") | null;
            /** @description The rule that the drift breaks, as a sentence. */
            breaks: string | null;
            in_index: boolean;
            /** @description The first page of the recency list, with default parameters, shows the contact. */
            in_answer: boolean;
            answer: {
                /** @enum {string} */
                source: "index" | "database";
                /** @enum {string} */
                reason?: "cold" | "redis_unavailable" | "small" | "below_floor" | "changed_meanwhile" | "not_refreshed" | "version_not_committed" | "strong" | "lag" | "one_source";
                verdict: {
                    /**
                     * @description Why the contact is, or is not, in the answer.
                     * @enum {string}
                     */
                    code: "shown" | "not_a_contact" | "own_self" | "no_longer_related" | "no_visible_upload" | "further_down" | "left_out" | "not_wanted";
                    /** @description The same as a sentence. */
                    sentence: string;
                };
            };
            /** @description null: MySQL has no row for the pair. */
            mysql: {
                related: boolean;
                /** @description null: the contact has no photo that this user may see. */
                last_upload_at: components["schemas"]["Time"] | null;
                /** @description friend, family, and names that RECENCY_RELATIONS gives to bits. */
                relation: string[];
                /** @description The audiences of the contact's photos that the user may see. */
                sees: number[];
                /** @description The version of the relationship's row. */
                version: string;
                /** @description The rank among all of the user's contacts; 1 is the most recently active one. null: the contact has none. */
                place: number | null;
            } | null;
            index: {
                state: components["schemas"]["IndexState"];
                epoch_current: boolean | null;
                /** @description From the contact's entry in the index; null: there is none. */
                last_upload_at: components["schemas"]["Time"] | null;
                size: number;
                floor: components["schemas"]["Floor"] | null;
                complete: boolean;
            };
        };
        /**
         * @description Readers treat every state but warm as cold, and also a warm index of another epoch. small: cold, and no index is kept, because the user has few contacts or none (`RECENCY_INDEX_ABOVE`).
         * @enum {string}
         */
        IndexState: "warm" | "cold" | "small" | "building" | "torn" | "wrong_type";
        ExplanationOfGroups: {
            user: components["schemas"]["Id"];
            group: components["schemas"]["Id"];
            verdict: {
                /**
                 * @description Why the group is, or is not, in the index.
                 * @enum {string}
                 */
                code: "in_index" | "below_floor" | "not_a_contact" | "own_self" | "no_longer_related" | "no_visible_upload" | "cold" | "small" | "building" | "other_epoch" | "torn" | "wrong_type" | "missing" | "hole" | "ghost" | "score";
                /** @description The same as a sentence. */
                sentence: string;
            };
            /** @description How the index is wrong, about this group or as a whole; null: it is not. */
            drift: ("missing" | "hole" | "ghost" | "score" | "cap" | "floor" | "torn" | "wrong_type") | null;
            /** @description The rule that the drift breaks, as a sentence. */
            breaks: string | null;
            in_index: boolean;
            /** @description The first page of the recency list, with default parameters, shows the group. */
            in_answer: boolean;
            answer: {
                /** @enum {string} */
                source: "index" | "database";
                /** @enum {string} */
                reason?: "cold" | "redis_unavailable" | "small" | "below_floor" | "changed_meanwhile" | "not_refreshed" | "version_not_committed" | "strong" | "lag" | "one_source";
                verdict: {
                    /**
                     * @description Why the group is, or is not, in the answer.
                     * @enum {string}
                     */
                    code: "shown" | "not_a_contact" | "own_self" | "no_longer_related" | "no_visible_upload" | "further_down" | "left_out" | "not_wanted";
                    /** @description The same as a sentence. */
                    sentence: string;
                };
            };
            /** @description null: MySQL has no row for the pair. */
            mysql: {
                related: boolean;
                /** @description null: the group has no photo that this user may see. */
                last_upload_at: components["schemas"]["Time"] | null;
                /** @description The audiences of the group's photos that the user may see. */
                sees: number[];
                /** @description The version of the relationship's row. */
                version: string;
                /** @description The rank among all of the user's groups; 1 is the most recently active one. null: the group has none. */
                place: number | null;
            } | null;
            index: {
                state: components["schemas"]["IndexState"];
                epoch_current: boolean | null;
                /** @description From the group's entry in the index; null: there is none. */
                last_upload_at: components["schemas"]["Time"] | null;
                size: number;
                floor: components["schemas"]["Floor"] | null;
                complete: boolean;
            };
        };
        Unseen: {
            user: components["schemas"]["Id"];
            /** @description How many have something that is new to the user. */
            count: number;
            /** @description There are more than `count`. */
            at_least: boolean;
            answer: components["schemas"]["Answer"];
        };
        Applied: {
            /** @description How many tasks; always all of them. */
            applied: number;
        };
        Accepted: {
            accepted: number;
            /** @description The ids of the tasks, in order; `ce_id` on the transport. */
            ids: string[];
        };
        Index: {
            user: components["schemas"]["Id"];
            state: components["schemas"]["IndexState"];
            /** @description null: there is no intact index. */
            epoch_current: boolean | null;
            size: number;
            /** @description No contact was ever left out. */
            complete: boolean;
            floor: components["schemas"]["Floor"] | null;
            /** @description As Redis has them, most recently active first. */
            members: {
                id: components["schemas"]["Id"];
                last_upload_at: components["schemas"]["Time"];
            }[];
            /** @description The UTC day on which the index was last read or built; null: there is no intact index. */
            last_used_on: string | null;
            /** @description So many changes are applied to the index before it is read again; one more drops it. null: there is no intact index, or no change drops it. */
            changes_left: number | null;
        };
        FanOuts: {
            fan_outs: components["schemas"]["FanOut"][];
        };
        FanOut: {
            /** @enum {string} */
            kind: "contacts" | "groups";
            owner: components["schemas"]["Id"];
            planned_at: components["schemas"]["Time"];
            segments: {
                done: number;
                of: number;
            };
            /** @description Refreshed so far; and of the whole audience, as far as the segments that are done tell. */
            followers: {
                done: number;
                estimated: number;
            };
            /** @description null: no segment is done yet. */
            users_per_second: number | null;
            /** @description If it goes on like this; null: no segment is done yet. */
            ends_at: components["schemas"]["Time"] | null;
        };
        DeadLetters: {
            dead_letters: components["schemas"]["ListedDeadLetter"][];
        };
        ListedDeadLetter: {
            /**
             * @description As the list shows it.
             * @example 0-17
             */
            id: string;
            /** @description When it was set aside. */
            time: components["schemas"]["Time"];
            /** @description The message's own, and `dlq-…`: where it came from and why it failed. */
            headers: {
                [key: string]: string;
            };
            /** @description Of the body that is kept. */
            bytes: number | null;
        };
        ReplayedDeadLetters: {
            replayed: number;
            /** @description Ids without a letter. */
            missing: string[];
        };
        DiscardedDeadLetters: {
            discarded: string[];
            /** @description Ids without a letter. */
            missing: string[];
        };
        DeadLetter: {
            /**
             * @description As the list shows it.
             * @example 0-17
             */
            id: string;
            /** @description When it was set aside. */
            time: components["schemas"]["Time"];
            /** @description The message's own, and `dlq-…`: where it came from and why it failed. */
            headers: {
                [key: string]: string;
            };
            body: string | null;
            /**
             * @description Of a body that is not UTF-8.
             * @constant
             */
            encoding?: "base64";
        };
        CreatedWatch: {
            id: components["schemas"]["Id"];
            /** @description Of a webhook, shown only now: `whsec_…` (Standard Webhooks). */
            secret?: string;
        };
        Watches: {
            watches: components["schemas"]["Watch"][];
        };
        Watch: {
            id: components["schemas"]["Id"];
            user: components["schemas"]["Id"];
            kinds: ("contacts" | "groups")[];
            /** @enum {string} */
            channel: "webhook" | "kafka";
            url?: string;
            relation: string;
            muted: components["schemas"]["Id"][];
            interval_ms: number;
            /** @enum {string} */
            state: "waiting" | "delivering" | "retrying" | "ended";
            /** @description Why nothing is delivered any more. */
            ended?: string;
            /** @description Deliveries of the current notification that failed. */
            attempts?: number;
            /**
             * Format: date-time
             * @description The last delivery, tests apart.
             */
            notified_at?: string;
            /** @description What became of the last test that has ended. */
            last_test?: {
                notification: string;
                delivered: boolean;
                /** @description Why it was not delivered. */
                why?: string;
            };
        };
        WatchTest: {
            notification: string;
        };
        Alive: {
            /** @constant */
            status: "alive";
        };
        Readiness: {
            /**
             * @description degraded: Redis or the transport is unavailable; MySQL answers. unready: MySQL is unavailable; there are no answers.
             * @enum {string}
             */
            status: "ready" | "degraded" | "unready";
            /** @description The names of the checks that failed. */
            failing: string[];
            /** @description Only with ?verbose: every check and report. */
            checks?: {
                [key: string]: {
                    /** @description Of a report: whether its state is fine. */
                    ok: boolean;
                    /**
                     * @description Only of a report, such as a backlog or the epoch: how bad is what it says. A report is never in `failing`, and changes no status.
                     * @enum {string}
                     */
                    state?: "fine" | "warning" | "problem";
                    ms: number;
                    detail?: string;
                };
            };
        };
        Started: {
            /** @enum {string} */
            status: "started" | "starting";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    recentContacts: {
        parameters: {
            query?: {
                /** @description Contacts in the answer. The index answers up to RECENCY_MAX (24). A trim may remove up to four entries, so from 21 to 24 the database answers now and then, until the index is refilled. Beyond RECENCY_MAX the database answers. */
                limit?: number;
                /** @description Only contacts that the user has marked as such: also by a name that RECENCY_RELATIONS gives to a bit. */
                relation?: string | ("any" | "friends" | "family" | "friends_or_family");
                /** @description The `next` of the previous page. */
                after?: string;
                /** @description true: only what is new to the user. */
                unseen?: "true" | "false";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentContacts"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recentPhotos: {
        parameters: {
            query?: {
                /** @description Contacts in the answer. */
                contacts?: number;
                /** @description The newest photos of each contact. */
                photos?: number;
                /** @description Only contacts that the user has marked as such: also by a name that RECENCY_RELATIONS gives to a bit. */
                relation?: string | ("any" | "friends" | "family" | "friends_or_family");
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The photos. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentPhotos"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    photosOfContact: {
        parameters: {
            query?: {
                /** @description Photos in the answer. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
                /** @description true: only what is new to the user, oldest first. */
                unseen?: "true" | "false";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePhotos"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recentGroups: {
        parameters: {
            query?: {
                /** @description Groups in the answer. The index answers up to RECENCY_MAX (24). A trim may remove up to four entries, so from 21 to 24 the database answers now and then, until the index is refilled. Beyond RECENCY_MAX the database answers. */
                limit?: number;
                relation?: "any";
                /** @description The `next` of the previous page. */
                after?: string;
                /** @description true: only what is new to the user. */
                unseen?: "true" | "false";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentGroups"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recentGroupPhotos: {
        parameters: {
            query?: {
                /** @description Groups in the answer. */
                groups?: number;
                /** @description The newest photos of each group. */
                photos?: number;
                relation?: "any";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The photos. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentGroupPhotos"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    photosOfGroup: {
        parameters: {
            query?: {
                /** @description Photos in the answer. */
                limit?: number;
                /** @description The `next` of the previous page. */
                after?: string;
                /** @description true: only what is new to the user, oldest first. */
                unseen?: "true" | "false";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePhotos"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recentSources: {
        parameters: {
            query?: {
                /** @description Sources in the answer, of all kinds together. */
                limit?: number;
                relation?: "any";
                /** @description The `next` of the previous page. */
                after?: string;
                /** @description true: only what is new to the user. */
                unseen?: "true" | "false";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentSources"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recentSourcesPhotos: {
        parameters: {
            query?: {
                /** @description Sources in the answer, of all kinds together. */
                sources?: number;
                /** @description The newest photos of each source. */
                photos?: number;
                relation?: "any";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The photos. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentSourcesPhotos"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamRecentContacts: {
        parameters: {
            query?: {
                limit?: number;
                /** @description Only contacts that the user has marked as such: also by a name that RECENCY_RELATIONS gives to a bit. */
                relation?: string | ("any" | "friends" | "family" | "friends_or_family");
                /** @description As the header Last-Event-ID, for a client that cannot set it. The header is the one that counts. */
                last_event_id?: string;
            };
            header?: {
                /** @description The id of the last event that the client has. While it is still the current head, the stream begins without one. Browsers send it when they connect again. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamRecentGroups: {
        parameters: {
            query?: {
                limit?: number;
                relation?: "any";
                /** @description As the header Last-Event-ID, for a client that cannot set it. The header is the one that counts. */
                last_event_id?: string;
            };
            header?: {
                /** @description The id of the last event that the client has. While it is still the current head, the stream begins without one. Browsers send it when they connect again. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamRecentSources: {
        parameters: {
            query?: {
                limit?: number;
                relation?: "any";
                /** @description As the header Last-Event-ID, for a client that cannot set it. The header is the one that counts. */
                last_event_id?: string;
            };
            header?: {
                /** @description The id of the last event that the client has. While it is still the current head, the stream begins without one. Browsers send it when they connect again. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    recentOfMany: {
        parameters: {
            query?: never;
            header?: {
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecentOfMany"];
            };
        };
        responses: {
            /** @description An answer or a problem for each user. */
            200: {
                headers: {
                    /** @description Time spent waiting, ms; where several users waited at once, the sum. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecentAnswers"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                contact: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                group: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplanationOfGroups"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countUnseenContacts: {
        parameters: {
            query?: {
                /** @description Only contacts that the user has marked as such: also by a name that RECENCY_RELATIONS gives to a bit. */
                relation?: string | ("any" | "friends" | "family" | "friends_or_family");
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unseen"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countUnseenGroups: {
        parameters: {
            query?: {
                relation?: "any";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unseen"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countUnseen: {
        parameters: {
            query?: {
                relation?: "any";
                /** @description Only what was active at this time or later: RFC 3339, or ms since 1970 UTC. Above the floor the index answers, otherwise the database. */
                since?: string;
                /** @description index: the index answers where it is certain. strong: plain SQL on the primary answers, with every committed change; 503 when the primary is unavailable. */
                consistency?: "index" | "strong";
                /** @description The greatest `lag_ms` to accept. When it is greater, or not known, plain SQL on the primary answers, with the reason `lag`. */
                max_lag?: number;
            };
            header?: {
                /** @description The ETag of the answer that the client has; the reply is 304 if it is still the same. */
                "If-None-Match"?: string;
                /** @description Changes that the answer must show although their tasks may still be in flight, once committed: up to 8 of the user's relations, each with the version that its row has since the change if that is known, joined by commas. Where several users are asked for, a relation is one of each of them, or of the one that it names: `contact=42/7@3`. `gtid=` and the writer's GTID set let a replica answer, once it has applied them; otherwise the primary answers. */
                "Recency-Fresh"?: string;
            };
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count. */
            200: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unseen"];
                };
            };
            /** @description The client has this answer. There is no body. */
            304: {
                headers: {
                    /** @description Of the rows and their exactness; weak, because the same rows may come with another `answer`. Pass it in If-None-Match. */
                    ETag: string;
                    "Cache-Control": "private, no-cache";
                    Vary: string;
                    /** @description Time spent waiting, ms. index: Redis; db: MySQL. */
                    "Server-Timing": string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markSeen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Seen"];
            };
        };
        responses: {
            /** @description The user has seen it, now or before. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markContactsSeen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Seen"];
            };
        };
        responses: {
            /** @description The user has seen it, now or before. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markContactSeen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Seen"];
            };
        };
        responses: {
            /** @description The user has seen it, now or before. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markGroupsSeen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Seen"];
            };
        };
        responses: {
            /** @description The user has seen it, now or before. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    markGroupSeen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Seen"];
            };
        };
        responses: {
            /** @description The user has seen it, now or before. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postTasks: {
        parameters: {
            query?: {
                /** @description now: up to 8 tasks of relations (recency.contact.…) are applied before the reply, which is 200. Tasks that cannot be applied now are published as otherwise, and the reply is 202. */
                apply?: "now";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Task"] | components["schemas"]["Task"][];
            };
        };
        responses: {
            /** @description With apply=now: the indexes say what the tasks speak of. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Applied"];
                };
            };
            /** @description The transport has the tasks. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inspectIndex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The index; its state says if there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forgetIndex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user has no index and no pending work. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFanOuts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description None, if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FanOuts"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rebuildIndex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** @description Ignored. Without tokens, the header Content-Type: application/json is still required, because pages of other sites cannot send it. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The index after the rebuild; cold if MySQL has nothing for the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inspectContactsIndex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The index; its state says if there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rebuildContactsIndex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** @description Ignored. Without tokens, the header Content-Type: application/json is still required, because pages of other sites cannot send it. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The index after the rebuild; cold if MySQL has nothing for the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    inspectGroupsIndex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The index; its state says if there is none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rebuildGroupsIndex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** @description Ignored. Without tokens, the header Content-Type: application/json is still required, because pages of other sites cannot send it. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The index after the rebuild; cold if MySQL has nothing for the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                limit?: number;
                /** @description Start after this letter. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description None, if there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetters"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeadLettersToReplay"];
            };
        };
        responses: {
            /** @description They were published. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayedDeadLetters"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discardDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeadLettersToDiscard"];
            };
        };
        responses: {
            /** @description They are not listed any more. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscardedDeadLetters"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As the list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The letter. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWatches: {
        parameters: {
            query: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                user: components["schemas"]["Id"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watches"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWatch"];
            };
        };
        responses: {
            /** @description The watch exists. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWatch"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without its secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no such watch, any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchPatch"];
            };
        };
        responses: {
            /** @description It is changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWatch"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Payload Too Large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testWatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id: a BIGINT UNSIGNED of MySQL as decimal text. */
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        /** @description Ignored. Without tokens, the header Content-Type: application/json is still required, because pages of other sites cannot send it. */
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It is delivered soon. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchTest"];
                };
            };
            /** @description Bad Request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unauthorized */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Forbidden */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Unsupported Media Type */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Service Unavailable */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    livez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: {
                /** @description With any value: list every check and report. */
                verbose?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Yes: ready, or degraded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No: unready. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    startupz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Started"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not yet. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Started"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too Many Requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. It works offline. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    docsFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                file: "start.js" | "swagger-ui.css" | "swagger-ui-bundle.js" | "favicon-32x32.png";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The client has this file. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Not Found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OpenAPI 3.1. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description Misdirected Request */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal Server Error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
