export const usage = `Usage: npm run bench -- [options]

Measures a do-nothing proxy, Sluice on server PostgreSQL, and other gateways, in turns, over a local upstream.
Needs Debian's postgresql package, and npm for Portkey's. Writes test/bench/RESULTS.md when nothing is left out.

  --rounds N        turns of each (default 15)
  --starts N        of all targets, each with as many rounds (default 1): one process is faster than another of the same code
                    by a few per cent, so that a small difference needs several
  --only LIST       rows, separated by commas, instead of small, stream, large, translated, responses, messages, gemini and
                    memory; or one of the reports below
  --profile         measures no ratio: takes a CPU profile of Sluice during each row of --only, and prints its cost by phase and
                    the functions that cost most
  --quick           of rows: a twentieth of the requests, to see whether they work; figures say little, and no report is written
  --minutes N       of faults (default 10; a shorter run writes no report)
  --redis KIND      of faults: standalone (default), or cluster, with three primaries
  --rows N          of usage (default 10000000, which takes 10 GB and some 20 minutes), of usage-key and content-volume (default 1000000)
  --without portkey leaves Portkey's gateway out, which is installed from npm
  --bifrost FILE, --litellm FILE
                    also measure these gateways, whose programs are given: docs/benchmarks.md says how to get them
  --against DIR     also measures the built server of another checkout, such as the one before a change, in the same turns
  --help            prints this

Rows that resemble what clients send, next to the proxy alone. What they send is generated, the same at each run:

  realistic         all of these, some 15 minutes; writes test/bench/REALISTIC.md when they are all that --only names
  prompts           prompt-SIZE-KIND for each SIZE of 1kb, 10kb, 100kb, 1mb and each KIND of english, chinese, code (with escapes),
                    json (JSON in strings of JSON)
  agents            agent, 40 messages with tools and two images as data URLs, 1 MB; agent-translated, the same to Messages
  embeddings, embeddings-numbers
                    100 inputs, answered as base64 or as numbers
  upload            a recording of 25 MB to be transcribed, as a form
  translations      messages-to-chat, responses-to-messages, gemini-to-messages: streams of 100 chunks where the client's protocol
                    is not the provider's

Reports, each alone:

  relays            what streams of other protocols cost next to that of Chat Completions
  media             what uploads take of memory
  open-streams      resident memory with 10,000 open paced streams on one process; fewer where ulimit -Hn is below 21000
  subscribers       how late 1,000 who watch one completion hear of it
  mixed             how long the event loop is delayed while small requests run beside an export of 100,000 rows, GraphQL reports,
                    an invoice run and 1,000 subscribers
  content           what content logging costs a small request
  content-stall     what requests notice while their content cannot be stored for 30 s
  content-volume    what filters and search take in a long log with content, in test/bench/CONTENT.md
  tracing           what exporting telemetry costs a small request
  workers           what a small request costs with two workers against one process, and how connections are balanced; beside it,
                    the same of the do-nothing proxy. With --profile, a comparison of their CPU profiles
  usage             what a long usage log costs, in test/bench/USAGE.md
  usage-key         what its primary key costs, in the same file
  dashboard         what its pages ask of a browser, in test/bench/DASHBOARD.md; needs Chromium
  faults            what clients notice of faults in a cluster of four processes, and whether all is accounted for, in the
                    section of test/bench/FAULTS.md for this --redis; needs Debian's postgresql and redis-server, and SeaweedFS
`;
