# sourced by campaigns that leave `pintle run --json` of each seed in $PINTLE_SCRATCH/SEED.json

# number SEED NAME: a figure of a run, or a large one when it is not there
number() {
  local x
  x=$(grep -ohE "\"$2\":[-0-9.e+]+" "$PINTLE_SCRATCH/$1.json" | head -n 1 | cut -d: -f2)
  echo "${x:-1e9}"
}
