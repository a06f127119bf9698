# Compares two results of `warpbound analyze --json`: fails when the bound has grown by more than `percent`, or is
# not proven any more. What it prints says which inputs are not the same.
#
#     jq -e -n -f compare.jq --slurpfile old OLD.json --slurpfile new NEW.json --argjson percent 5

def result:
  if .format.name == "warpbound-analyze" or .format.name == "warpbound-stream" then .
  else error("not a result of warpbound analyze: " + (.format.name // "no format")) end;

def checksums: [.inputs[] | {(.role + " " + .path): .sha256}] | add // {};

($old[0] | result) as $was
| ($new[0] | result) as $is
| {
    was: $was.verdict.bound,
    is: $is.verdict.bound,
    changed: [($is | checksums) as $after | ($was | checksums) as $before
              | ($after + $before) | keys[] | select($after[.] != $before[.])]
  }
| if .was == null or .is == null then error("no bound is proven in one of them")
  elif $was.verdict.scope != $is.verdict.scope then error("the bounds are about different things")
  else . end
| . + {percent: ((.is - .was) * 10000 / .was | round / 100)}
| debug
| .percent <= $percent
