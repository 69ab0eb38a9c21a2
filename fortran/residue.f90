! Marks events, stages and counters for Residue; does nothing when the program is not
! recorded. Compile this file with the program; there is nothing to link.
!
!     use residue
!     do i = 1, events
!         call residue_event_begin(i)
!         call residue_stamp("read")
!         call residue_scope_begin("digitise")
!         call residue_scope_end()
!         call residue_count("hits", hits)
!         call residue_event_end(i)
!     end do
!
! Names are taken without the blanks at their end and cut at 255 bytes. Ids may be of
! kind int32 or int64, counts real or integer. docs/EVENTS.md says what each call means.
module residue
    use, intrinsic :: iso_c_binding
    implicit none
    private

    public :: residue_active, residue_event_begin, residue_event_end
    public :: residue_event_current, residue_event_enter
    public :: residue_stamp, residue_count, residue_snapshot
    public :: residue_scope_begin, residue_scope_end
    public :: residue_pause, residue_resume, residue_pause_all, residue_resume_all
    public :: residue_thresholds, residue_allocated, residue_freed

    ! call residue_event_begin(id [, stream]); streams number event loops side by side.
    interface residue_event_begin
        module procedure event_begin_int32, event_begin_int64
    end interface

    interface residue_event_end
        module procedure event_end_int32, event_end_int64
    end interface

    ! call residue_count(name, value)
    interface residue_count
        module procedure count_real64, count_real32, count_int32, count_int64
    end interface

    ! The functions the recorder offers, by their place in its table.
    integer, parameter :: at_event_begin = 1, at_event_end = 2, at_event_current = 3, &
        at_event_enter = 4, at_stamp = 5, at_count = 6, at_scope_begin = 7, at_scope_end = 8, &
        at_pause = 9, at_resume = 10, at_thresholds = 11, at_snapshot = 12, at_allocated = 13, &
        at_freed = 14

    ! Later recorders append; `bytes` says how much of the table is there.
    type, bind(C) :: api_table
        integer(c_int32_t) :: version, bytes
        type(c_funptr) :: functions(at_freed)
    end type

    integer(c_int32_t), parameter :: bytes_before_functions = 8

    integer, parameter :: most_name_bytes = 255

    ! The address of the recorder's table, 0 when there is no recorder. One word, so that
    ! threads that ask at the same time write the same answer and never see half of it.
    integer(c_intptr_t), parameter :: unasked = 1
    integer(c_intptr_t), volatile, save :: known_table = unasked

    abstract interface
        function find_call() bind(C)
            import :: c_intptr_t
            integer(c_intptr_t) :: find_call
        end function
        subroutine plain_call() bind(C)
        end subroutine
        subroutine event_call(id, stream) bind(C)
            import :: c_int64_t, c_int32_t
            integer(c_int64_t), value :: id
            integer(c_int32_t), value :: stream
        end subroutine
        function current_call() bind(C)
            import :: c_int32_t
            integer(c_int32_t) :: current_call
        end function
        function enter_call(token) bind(C)
            import :: c_int32_t
            integer(c_int32_t), value :: token
            integer(c_int32_t) :: enter_call
        end function
        subroutine name_call(name) bind(C)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine count_call(name, value) bind(C)
            import :: c_char, c_double
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
        end subroutine
        subroutine switch_call(all_threads) bind(C)
            import :: c_int
            integer(c_int), value :: all_threads
        end subroutine
        subroutine thresholds_call(min_bytes, max_bytes) bind(C)
            import :: c_int64_t
            integer(c_int64_t), value :: min_bytes, max_bytes
        end subroutine
        subroutine allocated_call(block, bytes) bind(C)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: block
            integer(c_size_t), value :: bytes
        end subroutine
        subroutine freed_call(block) bind(C)
            import :: c_ptr
            type(c_ptr), value :: block
        end subroutine
    end interface

    interface
        function dlsym(scope, name) bind(C, name="dlsym")
            import :: c_ptr, c_char, c_funptr
            type(c_ptr), value :: scope
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: dlsym
        end function
    end interface

contains

    ! Whether the program is recorded: worth asking before computing what only a mark needs.
    logical function residue_active()
        residue_active = table_address() /= 0
    end function

    ! The token of the event this thread works for; 0: none.
    integer(c_int32_t) function residue_event_current()
        type(c_funptr) :: found
        procedure(current_call), pointer :: call_it
        residue_event_current = 0
        if (.not. has(at_event_current, found)) return
        call c_f_procpointer(found, call_it)
        residue_event_current = call_it()
    end function

    ! From now on this thread works for that event. Returns the token before, to go back to.
    integer(c_int32_t) function residue_event_enter(token)
        integer(c_int32_t), intent(in) :: token
        type(c_funptr) :: found
        procedure(enter_call), pointer :: call_it
        residue_event_enter = 0
        if (.not. has(at_event_enter, found)) return
        call c_f_procpointer(found, call_it)
        residue_event_enter = call_it(token)
    end function

    ! A named moment inside an event; between two stamps lies a stage.
    subroutine residue_stamp(name)
        character(len=*), intent(in) :: name
        call with_name(at_stamp, name)
    end subroutine

    ! Keeps the state of the heap at this moment under a name.
    subroutine residue_snapshot(name)
        character(len=*), intent(in) :: name
        call with_name(at_snapshot, name)
    end subroutine

    ! A named part of the work on this thread. Scopes nest.
    subroutine residue_scope_begin(name)
        character(len=*), intent(in) :: name
        call with_name(at_scope_begin, name)
    end subroutine

    subroutine residue_scope_end()
        type(c_funptr) :: found
        procedure(plain_call), pointer :: call_it
        if (.not. has(at_scope_end, found)) return
        call c_f_procpointer(found, call_it)
        call call_it()
    end subroutine

    ! Allocations of this thread (of all threads) are not recorded until resumed.
    subroutine residue_pause()
        call switch(at_pause, 0_c_int)
    end subroutine

    subroutine residue_resume()
        call switch(at_resume, 0_c_int)
    end subroutine

    subroutine residue_pause_all()
        call switch(at_pause, 1_c_int)
    end subroutine

    subroutine residue_resume_all()
        call switch(at_resume, 1_c_int)
    end subroutine

    ! From now on call paths are kept for blocks of min to max bytes only.
    subroutine residue_thresholds(min_bytes, max_bytes)
        integer(c_int64_t), intent(in) :: min_bytes, max_bytes
        type(c_funptr) :: found
        procedure(thresholds_call), pointer :: call_it
        if (.not. has(at_thresholds, found)) return
        call c_f_procpointer(found, call_it)
        call call_it(min_bytes, max_bytes)
    end subroutine

    ! Reports of a pool or an allocator of the program's own.
    subroutine residue_allocated(block, bytes)
        type(c_ptr), intent(in) :: block
        integer(c_size_t), intent(in) :: bytes
        type(c_funptr) :: found
        procedure(allocated_call), pointer :: call_it
        if (.not. has(at_allocated, found)) return
        call c_f_procpointer(found, call_it)
        call call_it(block, bytes)
    end subroutine

    subroutine residue_freed(block)
        type(c_ptr), intent(in) :: block
        type(c_funptr) :: found
        procedure(freed_call), pointer :: call_it
        if (.not. has(at_freed, found)) return
        call c_f_procpointer(found, call_it)
        call call_it(block)
    end subroutine

    subroutine event_begin_int32(id, stream)
        integer(c_int32_t), intent(in) :: id
        integer(c_int32_t), intent(in), optional :: stream
        call event_mark(at_event_begin, int(id, c_int64_t), stream)
    end subroutine

    subroutine event_begin_int64(id, stream)
        integer(c_int64_t), intent(in) :: id
        integer(c_int32_t), intent(in), optional :: stream
        call event_mark(at_event_begin, id, stream)
    end subroutine

    subroutine event_end_int32(id, stream)
        integer(c_int32_t), intent(in) :: id
        integer(c_int32_t), intent(in), optional :: stream
        call event_mark(at_event_end, int(id, c_int64_t), stream)
    end subroutine

    subroutine event_end_int64(id, stream)
        integer(c_int64_t), intent(in) :: id
        integer(c_int32_t), intent(in), optional :: stream
        call event_mark(at_event_end, id, stream)
    end subroutine

    subroutine event_mark(place, id, stream)
        integer, intent(in) :: place
        integer(c_int64_t), intent(in) :: id
        integer(c_int32_t), intent(in), optional :: stream
        integer(c_int32_t) :: given
        type(c_funptr) :: found
        procedure(event_call), pointer :: call_it
        if (.not. has(place, found)) return
        given = 0
        if (present(stream)) given = stream
        call c_f_procpointer(found, call_it)
        call call_it(id, given)
    end subroutine

    subroutine count_real64(name, value)
        character(len=*), intent(in) :: name
        real(c_double), intent(in) :: value
        character(kind=c_char) :: text(most_name_bytes + 1)
        type(c_funptr) :: found
        procedure(count_call), pointer :: call_it
        if (.not. has(at_count, found)) return
        call to_c(name, text)
        call c_f_procpointer(found, call_it)
        call call_it(text, value)
    end subroutine

    subroutine count_real32(name, value)
        character(len=*), intent(in) :: name
        real(c_float), intent(in) :: value
        call count_real64(name, real(value, c_double))
    end subroutine

    subroutine count_int32(name, value)
        character(len=*), intent(in) :: name
        integer(c_int32_t), intent(in) :: value
        call count_real64(name, real(value, c_double))
    end subroutine

    subroutine count_int64(name, value)
        character(len=*), intent(in) :: name
        integer(c_int64_t), intent(in) :: value
        call count_real64(name, real(value, c_double))
    end subroutine

    subroutine with_name(place, name)
        integer, intent(in) :: place
        character(len=*), intent(in) :: name
        character(kind=c_char) :: text(most_name_bytes + 1)
        type(c_funptr) :: found
        procedure(name_call), pointer :: call_it
        if (.not. has(place, found)) return
        call to_c(name, text)
        call c_f_procpointer(found, call_it)
        call call_it(text)
    end subroutine

    subroutine switch(place, all_threads)
        integer, intent(in) :: place
        integer(c_int), intent(in) :: all_threads
        type(c_funptr) :: found
        procedure(switch_call), pointer :: call_it
        if (.not. has(place, found)) return
        call c_f_procpointer(found, call_it)
        call call_it(all_threads)
    end subroutine

    ! Into a buffer of fixed size: joining strings would allocate in the recorded program.
    subroutine to_c(name, text)
        character(len=*), intent(in) :: name
        character(kind=c_char), intent(out) :: text(most_name_bytes + 1)
        integer :: i, bytes
        bytes = min(len_trim(name), most_name_bytes)
        do i = 1, bytes
            text(i) = name(i:i)
        end do
        text(bytes + 1) = c_null_char
    end subroutine

    ! Whether there is a recorder whose table reaches to that place; and what is there.
    logical function has(place, found)
        integer, intent(in) :: place
        type(c_funptr), intent(out) :: found
        type(api_table), pointer :: table
        integer(c_intptr_t) :: address
        has = .false.
        address = table_address()
        if (address == 0) return
        call c_f_pointer(transfer(address, c_null_ptr), table)
        if (table%bytes < bytes_before_functions + place * int(c_sizeof(found), c_int32_t)) return
        found = table%functions(place)
        has = .true.
    end function

    integer(c_intptr_t) function table_address()
        type(c_funptr) :: symbol
        procedure(find_call), pointer :: find
        table_address = known_table
        if (table_address /= unasked) return
        table_address = 0
        ! Null as the scope is RTLD_DEFAULT: the program and what was preloaded.
        symbol = dlsym(c_null_ptr, "residue_api_v1" // c_null_char)
        if (c_associated(symbol)) then
            call c_f_procpointer(symbol, find)
            table_address = find()
        end if
        known_table = table_address
    end function

end module
