# bash completion of pintle: verbs, options and files.
#
#   source <(pintle completion bash)
_pintle() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local verbs="run console command check matrix allocate trace import detect calibrate replay report live directions device yarp doctor schema completion"
  COMPREPLY=()

  local verb='' kind='' action='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*) ;;
      *) if [[ -z $verb ]]; then verb=${COMP_WORDS[i]}
        elif [[ -z $kind ]]; then kind=${COMP_WORDS[i]}
        elif [[ -z $action ]]; then action=${COMP_WORDS[i]}; fi ;;
    esac
  done

  if [[ -z $verb ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$verbs --help --version" -- "$word")
    return
  fi

  # the value of the option before
  case $previous in
    --loop) mapfile -t COMPREPLY < <(compgen -W "position position_cascaded velocity" -- "$word"); return ;;
    --axis) mapfile -t COMPREPLY < <(compgen -W "x y z roll pitch yaw" -- "$word"); return ;;
    --out | -o) _pintle_files "$(case $verb in import) echo 'yaml|yml' ;; console) echo d ;; *) echo html ;; esac)" "$word"; return ;;
    --to | --listen) _pintle_files 'sock' "$word"; return ;;
    --jets) _pintle_files 'ini' "$word"; return ;;
    --model-path) _pintle_files 'd' "$word"; return ;;
    --model) mapfile -t COMPREPLY < <(compgen -W "first_order nonlinear direct" -- "$word"); return ;;
    --on) mapfile -t COMPREPLY < <(compgen -W "ros1 yarp serial" -- "$word"); return ;;
    --world) mapfile -t COMPREPLY < <(compgen -W "simulated elsewhere" -- "$word"); return ;;
    --carrier) mapfile -t COMPREPLY < <(compgen -W "tcp fast_tcp text text_ack" -- "$word"); return ;;
    --input | -i) _pintle_files 'csv|jsonl' "$word"; return ;;
    --firmware) mapfile -t COMPREPLY < <(compgen -W "measured_2017 feb_2015 may_2015 manual" -- "$word"); return ;;
    --port) mapfile -t COMPREPLY < <(compgen -f -- "${word:-/dev/serial/by-id/}"); return ;;
    --folder) _pintle_files 'd' "$word"; return ;;
    --vehicle | --truth) _pintle_files 'yaml|yml' "$word"; return ;;
    --node | --first | --last | --period | --count | --effort | --line) return ;;
    --seed | --set | --at | --seconds | --speed | --share | --propulsor | --dt | --failed | --wrench | -w) return ;;
  esac

  if [[ $word == -* ]]; then
    local options="--help"
    case $verb in
      run) options+=" --seed --out --overwrite --set --at --real-time --speed --wait --listen --no-log --json --quiet --on --world --lockstep --planner --input-timeout --bind --model --model-path --fifo --truth --live --live-bind --live-token --live-origin" ;;
      console) options+=" --seed --out --overwrite --listen" ;;
      command) options+=" --to --json" ;;
      check) options+=" --json --model-path" ;;
      matrix) options+=" --pinv --json --faults --hover --write --worst-case --parts" ;;
      allocate) options+=" --input --wrench --failed --bus-v --explain --json" ;;
      trace)
        case $kind in
          pid) options+=" --input --loop --axis" ;;
          controller) options+=" --input --cascaded --no-position --no-velocity" ;;
          thruster) options+=" --input --dt" ;;
          booster) options+=" --input --dt" ;;
          gimbal) options+=" --input --dt" ;;
          propeller) options+=" --input --dt" ;;
          fin) options+=" --input --dt" ;;
          jet) options+=" --input --dt --model --initial-thrust --initial-rate" ;;
        esac ;;
      import) options+=" --out --overwrite --jets --model --model-path" ;;
      calibrate) options+=" --out --board --square --markers --side --gap --first --name --overwrite" ;;
      detect) options+=" --camera --marker --circle --mode --attitude --video --frames --draw" ;;
      replay) options+=" --verify --json" ;;
      report) options+=" --out --overwrite" ;;
      live) options+=" --port --speed --loop --quiet --live-bind --live-token --live-origin" ;;
      directions) options+=" --propulsor --share --by-hand --yes-in-water --write --json --on --world --truth" ;;
      device)
        case $action in
          decode) options+=" --input --firmware" ;;
          send) options+=" --input --firmware --dry-run --port" ;;
          scan) options+=" --first --last --json --vehicle" ;;
          info) options+=" --node --firmware" ;;
          configure) options+=" --node --firmware --save --rename" ;;
          watch) options+=" --node --period --count" ;;
          spin-test) options+=" --node --vehicle --propulsor --measure --effort --seconds --yes-in-water" ;;
          emulate) options+=" --line --folder --baudrate --firmware" ;;
        esac ;;
      yarp)
        case $kind in
          server) options+=" --port --bind" ;;
          read) options+=" --carrier --count --envelope --bind" ;;
          write) options+=" --carrier --bind" ;;
          list) options+=" --json" ;;
        esac ;;
      doctor) options+=" --json --seconds" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    return
  fi

  case $verb in
    trace) if [[ -z $kind ]]; then
        mapfile -t COMPREPLY < <(compgen -W "pid controller thruster jet booster gimbal propeller fin" -- "$word")
      else
        _pintle_files 'yaml|yml|csv|jsonl|ini' "$word"
      fi ;;
    device) if [[ -z $kind ]]; then
        mapfile -t COMPREPLY < <(compgen -W "m5 vesc pwm" -- "$word")
      elif [[ -z $action && $kind != m5 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "emulate" -- "$word")
      elif [[ -z $action ]]; then
        mapfile -t COMPREPLY < <(compgen -W "decode send scan info configure watch spin-test emulate" -- "$word")
      elif [[ $action == decode || $action == send ]]; then
        _pintle_files 'csv' "$word"
      elif [[ $action != emulate ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "${word:-/dev/serial/by-id/}")
      fi ;;
    import) _pintle_files 'ini|urdf|sdf|xml' "$word" ;;
    calibrate | detect) _pintle_files 'png|jpg|jpeg|bmp|ppm|pgm' "$word" ;;
    console | directions) _pintle_files 'yaml|yml' "$word" ;;
    command) if [[ -z $kind ]]; then
        mapfile -t COMPREPLY < <(compgen -W "status pause resume cutoff abort free_style step select jump land arm disarm reset_control reset_latch take_over hand_over fail restore trust heartbeat ready_ignition ignite shut_down leak dry terminate" -- "$word")
      fi ;;
    yarp) if [[ -z $kind ]]; then
        mapfile -t COMPREPLY < <(compgen -W "server read write connect disconnect list ping" -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(pintle yarp list 2>/dev/null | cut -d' ' -f1)" -- "$word")
      fi ;;
    schema) _pintle_files 'd' "$word" ;;
    completion) mapfile -t COMPREPLY < <(compgen -W "bash zsh" -- "$word") ;;
    replay | report | live) _pintle_files 'mcap' "$word" ;;
    run | check) _pintle_files 'yaml|yml|ini|sdf|urdf' "$word" ;;
    matrix | allocate) _pintle_files 'yaml|yml' "$word" ;;
  esac
}

# folders, and files that end in one of $1 (d: folders only)
_pintle_files() {
  local name
  compopt -o filenames 2>/dev/null
  COMPREPLY=()
  while IFS= read -r name; do
    if [[ -d $name || $name =~ \.($1)$ ]]; then COMPREPLY+=("$name"); fi
  done < <(compgen -f -- "$2")
}

complete -F _pintle pintle
